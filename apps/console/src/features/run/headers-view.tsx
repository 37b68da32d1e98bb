import { SECRET_MASK } from '@workly/core'

/** A header's value as it was sent or came; secrets masked. */
function valueText(value: unknown): string {
  if (typeof value === 'string') return value
  return `${SECRET_MASK} (secret)`
}

export function HeadersView({ label, headers }: { label: string; headers: Record<string, unknown> }) {
  const entries = Object.entries(headers)
  if (entries.length === 0) return <p className="text-[13px] text-muted">No headers.</p>
  return (
    <div className="overflow-x-auto rounded-control border border-line">
      <table className="w-full text-left font-mono text-[12.5px]">
        <caption className="sr-only">{label}</caption>
        <tbody className="divide-y divide-line">
          {entries.map(([name, value]) => (
            <tr key={name}>
              <th scope="row" className="w-px px-3 py-1 align-top font-normal whitespace-nowrap text-muted">
                {name}
              </th>
              <td className="px-3 py-1 break-all">{valueText(value)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
