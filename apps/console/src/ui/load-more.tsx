import { Button } from './button.tsx'

interface LoadMoreProps {
  /** What more of: "runs". */
  things: string
  hasMore: boolean
  isLoading: boolean
  onLoad: () => void
}

/** The foot of a list that comes in pages. */
export function LoadMore({ things, hasMore, isLoading, onLoad }: LoadMoreProps) {
  if (!hasMore) return null
  return (
    <div className="flex justify-center border-t border-line p-2">
      <Button variant="quiet" busy={isLoading} onClick={onLoad}>
        Load more {things}
      </Button>
    </div>
  )
}
