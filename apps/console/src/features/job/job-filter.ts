/** What the list of jobs is narrowed to; it stands in the page's address, so that it can be shared. */
export interface JobFilter {
  search?: string | undefined
  state?: 'active' | 'paused' | 'completed' | undefined
  tag?: string | undefined
}

const STATES = ['active', 'paused', 'completed'] as const

/** Reads the filter from an address's query; what it does not know it leaves out. */
export function readJobFilter(query: URLSearchParams): JobFilter {
  const state = query.get('state')
  return {
    search: query.get('search')?.slice(0, 200) || undefined,
    state: STATES.find(known => known === state),
    tag: query.get('tag')?.slice(0, 64) || undefined,
  }
}

/** `?search=report&state=paused`, or the empty text for everything. */
export function writeJobFilter(filter: JobFilter): string {
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(filter)) if (value) query.set(key, value)
  const text = query.toString()
  return text ? `?${text}` : ''
}

export function isFiltered(filter: JobFilter): boolean {
  return writeJobFilter(filter) !== ''
}
