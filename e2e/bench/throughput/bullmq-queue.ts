/** The queue's name, for both its ends. */
export const QUEUE = 'bench'
/** Completed jobs that stay to be looked at, as BullMQ's guide advises to bound them. */
export const COMPLETED_KEPT = 1_000
