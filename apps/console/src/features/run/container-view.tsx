import type { ShownAttempt } from '#trpc/router.ts'
import { Code } from '#ui/code.tsx'

interface ContainerViewProps {
  container: NonNullable<ShownAttempt['container']>
  whose: string
}

/** How a container ended, and the last of what it wrote. */
export function ContainerView({ container: { exit_code, log, log_truncated }, whose }: ContainerViewProps) {
  return (
    <>
      {exit_code !== null && (
        <p className="text-[13px]">
          The container exited with code <span className="tnum font-medium">{exit_code}</span>.
        </p>
      )}
      {log !== null && (
        <div className="grid gap-1.5">
          <h3 className="text-[13px] font-medium">Log</h3>
          {log_truncated && (
            <p className="text-[13px] text-muted">
              Only its last 64 KiB are kept; what came before was cut off.
            </p>
          )}
          {log === '' ? (
            <p className="text-[13px] text-muted">Empty.</p>
          ) : (
            <Code label={`log ${whose}`} text={log_truncated ? `…\n${log}` : log} wrap />
          )}
        </div>
      )}
    </>
  )
}
