import Link from 'next/link'
import { Blank } from '#features/shell/blank.tsx'

export default function NotFound() {
  return (
    <Blank title="Not found">
      <p>There is nothing at this address, or it belongs to an organization you are no member of.</p>
      <Link href="/" className="text-accent underline underline-offset-2">
        Go to your jobs
      </Link>
    </Blank>
  )
}
