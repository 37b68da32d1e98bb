import { Head } from '#ui/table.tsx'

export function JobHeads() {
  return (
    <>
      <Head>Job</Head>
      <Head className="max-md:hidden">Next run</Head>
      <Head className="max-sm:hidden">Last run</Head>
      <Head className="max-lg:hidden">Recent runs</Head>
      <Head className="text-right">
        <span className="sr-only">Actions</span>
      </Head>
    </>
  )
}
