import { Empty } from '#ui/empty.tsx'

export default function NotFound() {
  return (
    <div className="rounded-card border border-line bg-surface">
      <Empty title="Not found">
        <p>
          It does not exist in this project, or it was deleted. Check the address, or go to the list of jobs.
        </p>
      </Empty>
    </div>
  )
}
