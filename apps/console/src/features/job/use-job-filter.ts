'use client'

import { useSearchParams } from 'next/navigation'
import { useEffect, useMemo, useRef, useState } from 'react'
import { type JobFilter, readJobFilter, writeJobFilter } from './job-filter.ts'

/** The filter as the page's address has it. What is typed as a search gets there a moment after the last key. */
export function useJobFilter() {
  const query = useSearchParams()
  const filter = useMemo(() => readJobFilter(new URLSearchParams(query)), [query])
  const [search, setSearch] = useState(filter.search ?? '')
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])

  function setFilter(next: JobFilter) {
    window.history.replaceState(null, '', writeJobFilter(next) || window.location.pathname)
  }

  function type(text: string) {
    setSearch(text)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      // The address, not this render's filter: another filter may have been chosen since.
      const now = readJobFilter(new URLSearchParams(window.location.search))
      setFilter({ ...now, search: text.trim() || undefined })
    }, 200)
  }

  function clear() {
    clearTimeout(timer.current)
    setSearch('')
    setFilter({})
  }

  return { filter, search, setFilter, type, clear }
}
