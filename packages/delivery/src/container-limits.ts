/** What one container may use at most. */
export interface ContainerLimits {
  /** Cores; may be a fraction. */
  cpus: number
  memoryBytes: number
}

export const DEFAULT_LIMITS: ContainerLimits = { cpus: 1, memoryBytes: 1024 ** 3 }

/** How long a container has between SIGTERM and SIGKILL, in seconds. */
export const STOP_GRACE_SECONDS = 10

/** Bytes as a quantity of Kubernetes: `512Mi`, `2Gi`, `1000000`. */
export function inWords(bytes: number): string {
  for (const [unit, size] of [['Gi', 1024 ** 3] as const, ['Mi', 1024 ** 2] as const]) {
    if (bytes >= size && bytes % size === 0) return `${bytes / size}${unit}`
  }
  return String(bytes)
}
