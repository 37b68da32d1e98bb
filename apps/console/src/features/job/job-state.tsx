import type { Job } from '@workly/core'
import { Badge } from '#ui/badge.tsx'

export function JobStateBadge({ state }: { state: Job['state'] }) {
  if (state === 'paused') {
    return (
      <Badge tone="warn" icon="pause">
        Paused
      </Badge>
    )
  }
  if (state === 'completed') return <Badge icon="check">Completed</Badge>
  return (
    <Badge tone="good" icon="clock">
      Active
    </Badge>
  )
}
