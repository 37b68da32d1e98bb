declare module 'vitest' {
  interface ProvidedContext {
    dockerSocket: string
    registry: string
  }
}

export {}
