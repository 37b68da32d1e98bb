/** Whether a write gives a field a value: null means "not given", but for `payload`, where it is JSON null. */
export function isGiven<T extends object>(input: T, field: keyof T): boolean {
  const value = input[field]
  return value !== undefined && (value !== null || field === 'payload')
}
