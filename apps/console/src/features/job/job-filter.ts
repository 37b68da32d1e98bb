/** What the list of jobs is narrowed to; it stands in the page's address, so that it can be shared. */
export interface JobFilter {
  search?: string | undefined
  state?: 'active' | 'paused' | 'completed' | undefined
  kind?: 'http' | 'image' | 'pipeline' | undefined
  tag?: string | undefined
}

const STATES = ['active', 'paused', 'completed'] as const
const KINDS = ['http', 'image', 'pipeline'] as const

/** The kinds of jobs in the plural: the names of their browsers. */
export const KIND_NAMES: Record<(typeof KINDS)[number], string> = {
  http: 'REST requests',
  image: 'Image executions',
  pipeline: 'Pipelines',
}

export function readKind(text: string | null): JobFilter['kind'] {
  return KINDS.find(known => known === text)
}

/** Reads the filter from an address's query; what it does not know it leaves out. */
export function readJobFilter(query: URLSearchParams): JobFilter {
  const state = query.get('state')
  return {
    search: query.get('search')?.slice(0, 200) || undefined,
    state: STATES.find(known => known === state),
    kind: readKind(query.get('kind')),
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
