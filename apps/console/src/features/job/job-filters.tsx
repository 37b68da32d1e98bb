'use client'

import { useQuery } from '@tanstack/react-query'
import { useProjectInput } from '#features/project/project-scope.tsx'
import { useTRPC } from '#trpc/client.tsx'
import { Select, TextInput } from '#ui/field.tsx'
import { Icon } from '#ui/icon.tsx'
import { type JobFilter, KIND_NAMES, readKind } from './job-filter.ts'

interface JobFiltersProps {
  filter: JobFilter
  /** The search as it is typed; the filter follows a moment later. */
  search: string
  onSearch: (text: string) => void
  onChange: (filter: JobFilter) => void
}

/** Search, state and tag of the list of jobs. */
export function JobFilters({ filter, search, onSearch, onChange }: JobFiltersProps) {
  const trpc = useTRPC()
  const tags = useQuery(trpc.job.tags.queryOptions(useProjectInput(), { staleTime: 30_000 }))
  return (
    <search className="flex flex-wrap gap-2">
      <SearchBox text={search} onType={onSearch} />
      <Select
        aria-label="State"
        value={filter.state ?? ''}
        onChange={event => onChange({ ...filter, state: stateOf(event.target.value) })}
        className="min-w-32 max-sm:flex-1"
      >
        <option value="">Any state</option>
        <option value="active">Active</option>
        <option value="paused">Paused</option>
        <option value="completed">Completed</option>
      </Select>
      <Select
        aria-label="Kind"
        value={filter.kind ?? ''}
        onChange={event => onChange({ ...filter, kind: readKind(event.target.value) })}
        className="min-w-32 max-sm:flex-1"
      >
        <option value="">Any kind</option>
        {Object.entries(KIND_NAMES).map(([kind, name]) => (
          <option key={kind} value={kind}>
            {name}
          </option>
        ))}
      </Select>
      <Select
        aria-label="Tag"
        value={filter.tag ?? ''}
        onChange={event => onChange({ ...filter, tag: event.target.value || undefined })}
        className="max-w-48 min-w-32 max-sm:flex-1"
      >
        <option value="">Any tag</option>
        {filter.tag && !tags.data?.includes(filter.tag) && <option value={filter.tag}>{filter.tag}</option>}
        {tags.data?.map(tag => (
          <option key={tag} value={tag}>
            {tag}
          </option>
        ))}
      </Select>
    </search>
  )
}

function stateOf(text: string): JobFilter['state'] {
  return text === 'active' || text === 'paused' || text === 'completed' ? text : undefined
}

function SearchBox({ text, onType }: { text: string; onType: (text: string) => void }) {
  return (
    <span className="relative w-full sm:w-72">
      <Icon
        name="search"
        className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-muted"
      />
      <TextInput
        type="search"
        aria-label="Search jobs"
        placeholder="Search name or description"
        value={text}
        maxLength={200}
        onChange={event => onType(event.target.value)}
        className="pl-8"
      />
    </span>
  )
}
