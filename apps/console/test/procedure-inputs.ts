import type { MakeCall } from '@workly/services'

/** Answers every test call, so that none goes out. */
export const makeCall: MakeCall = async () => ({
  class: 'ok',
  message: null,
  status: 204,
  headers: {},
  body: new Uint8Array(),
  bodyTruncated: false,
  timings: { dns: null, connect: null, tls: null, firstByte: 1, total: 1 },
  retryAfterMs: null,
})

/** What a procedure of the console takes, for tests that call every one. */
export interface ProcedureInput {
  /** `nowhere`: it is about the person alone. */
  place: 'project' | 'nowhere'
  /** What it takes beside organization, project, `name` and `id`. */
  rest: Record<string, unknown>
  /** It is about one job or run, or about many, or makes one. */
  finds: 'one' | 'many' | 'makes'
  changes: boolean
  /** Anybody may call it: what it takes proves who may. */
  open?: true
  /** What is answered where it is not there. Default NOT_FOUND. */
  absent?: 'PRECONDITION_FAILED'
}

const SETTINGS = { cron: '0 3 * * *', url: 'https://api.example.com/' }
const reads = (finds: ProcedureInput['finds'], rest = {}): ProcedureInput => ({
  place: 'project',
  rest,
  finds,
  changes: false,
})
const changes = (finds: ProcedureInput['finds'], rest = {}): ProcedureInput => ({
  ...reads(finds, rest),
  changes: true,
})

/** By the path in the router. A procedure that is new has its line here, or a test fails. */
export const INPUTS: Record<string, ProcedureInput> = {
  'job.list': reads('many'),
  'job.tags': reads('many'),
  'job.get': reads('one'),
  'job.settings': reads('one'),
  'job.preview': reads('many', { schedule: { cron: '0 3 * * *' } }),
  'job.create': changes('makes', { name: 'ours', settings: SETTINGS }),
  // A job is changed only as it was read, so one that is not there has changed since.
  'job.update': {
    ...changes('one', { ifMatch: '"x"', patch: { description: 'x' } }),
    absent: 'PRECONDITION_FAILED',
  },
  'job.times': reads('one'),
  'job.backfill': changes('one', {
    from: '2026-01-01T00:00:00Z',
    to: '2026-01-02T00:00:00Z',
    onlyMissing: true,
    dryRun: true,
  }),
  'apiKey.list': reads('many'),
  'apiKey.create': changes('makes', { key: { name: 'ours', scope: 'read' } }),
  'apiKey.revoke': changes('one'),
  'signingSecret.list': reads('many'),
  'signingSecret.create': changes('makes'),
  'signingSecret.rotate': changes('makes'),
  'signingSecret.expire': changes('one'),
  'member.list': reads('many'),
  'member.invite': changes('makes', { invite: { email: 'ours@example.com', role: 'viewer' } }),
  'member.revokeInvitation': changes('one'),
  'member.changeRole': changes('one', { role: 'viewer' }),
  'member.remove': changes('one'),
  'invitation.accept': { ...changes('makes', { token: 'x'.repeat(43) }), place: 'nowhere' },
  'invitation.register': {
    ...changes('makes', { token: 'x'.repeat(43), name: 'Ours', password: 'long enough to be one' }),
    place: 'nowhere',
    open: true,
  },
  'audit.list': reads('many'),
  'project.get': reads('many'),
  'project.setDefaults': changes('makes', { defaults: { max_attempts: 2 } }),
  'job.test': changes('makes', { call: { url: 'https://api.example.com/' } }),
  'job.trigger': changes('one'),
  'job.pause': changes('one'),
  'job.resume': changes('one'),
  'job.delete': changes('one'),
  'run.list': reads('many'),
  'run.get': reads('one'),
  'run.cancel': changes('one'),
  'run.retry': changes('one'),
  'session.endAll': { place: 'nowhere', rest: {}, finds: 'makes', changes: true },
}
