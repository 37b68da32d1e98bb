import { useRef } from 'react'

/** Adds, changes and removes rows of a list in a form, each known by its key. */
export function useRows<Row extends { key: string }>(rows: Row[], onChange: (rows: Row[]) => void) {
  const made = useRef(0)
  return {
    add(row: Omit<Row, 'key'>) {
      made.current += 1
      // Another visit to the list may have left rows of these keys behind.
      const taken = new Set(rows.map(other => other.key))
      while (taken.has(`new-${made.current}`)) made.current += 1
      onChange([...rows, { ...row, key: `new-${made.current}` } as Row])
    },
    change(key: string, part: Partial<Row>) {
      onChange(rows.map(row => (row.key === key ? { ...row, ...part } : row)))
    },
    remove(key: string) {
      onChange(rows.filter(row => row.key !== key))
    },
  }
}
