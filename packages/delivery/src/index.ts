export type { CallResult, CallTimings, HttpCall } from './call.ts'
export { HttpCaller, type HttpCallerOptions, type HttpCallerStats } from './http.ts'
export { ResolveError, type Resolver } from './resolver.ts'
export { SystemResolver, type SystemResolverOptions } from './system-resolver.ts'
