import { Head } from '#ui/table.tsx'

export function RunHeads({ withJob }: { withJob: boolean }) {
  return (
    <>
      <Head className="min-w-32">State</Head>
      {withJob && <Head className="max-sm:hidden">Job</Head>}
      <Head>Scheduled for</Head>
      <Head className="max-md:hidden">Trigger</Head>
      <Head className="text-right max-md:hidden">Attempts</Head>
      <Head className="min-w-24 text-right max-sm:min-w-16">Duration</Head>
      <Head className="w-full max-lg:hidden">Outcome</Head>
    </>
  )
}
