import { Notice } from '#ui/notice.tsx'
import { PageHead } from '#ui/page-head.tsx'

export default function NotFound() {
  return (
    <>
      <PageHead title="Not found" />
      <Notice tone="info">
        It does not exist in this project, or it was deleted. Check the address, or look for it among the jobs
        and runs.
      </Notice>
    </>
  )
}
