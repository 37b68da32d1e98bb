import { Head } from '#ui/table.tsx'

export function JobHeads() {
  return (
    <>
      <Head>Job</Head>
      <Head className="min-w-34 max-md:hidden">Next run</Head>
      <Head className="min-w-52 max-sm:hidden">Last run</Head>
      <Head className="max-lg:hidden">Recent runs</Head>
      <Head className="text-right">
        <span className="sr-only">Actions</span>
      </Head>
    </>
  )
}
