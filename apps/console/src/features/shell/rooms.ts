import { KIND_NAMES } from '#features/job/job-filter.ts'
import {
  apiKeysPath,
  auditPath,
  jobsPath,
  membersPath,
  newJobPath,
  runsPath,
  settingsPath,
  signingSecretsPath,
} from '#features/project/addresses.ts'
import type { IconName } from '#ui/icon.tsx'

export interface Room {
  name: string
  href: string
  icon: IconName
  /** Hangs below the room before it. */
  isPart?: boolean
  isHere: boolean
}

export interface RoomGroup {
  /** Null for the rooms of every day. */
  title: string | null
  rooms: Room[]
}

/**
 * The rooms of a project, with the one that an address is in marked.
 * @param kind what the address narrows jobs to, or null
 */
export function roomsOf(
  scope: { organization: string; project: string },
  path: string,
  kind: string | null,
): RoomGroup[] {
  const jobs = jobsPath(scope)
  const isList = path === jobs
  const room = (name: string, href: string, icon: IconName): Room => ({
    name,
    href,
    icon,
    isHere: path.startsWith(href),
  })
  const part = (key: keyof typeof KIND_NAMES, icon: IconName): Room => ({
    name: KIND_NAMES[key],
    href: `${jobs}?kind=${key}`,
    icon,
    isPart: true,
    isHere: isList && kind === key,
  })
  const ofKind = [part('http', 'globe'), part('image', 'box'), part('pipeline', 'steps')]
  const isOfKind = ofKind.some(({ isHere }) => isHere)
  const all = { ...room('Jobs', jobs, 'jobs') }
  all.isHere = (all.isHere && !isOfKind) || path === newJobPath(scope)
  return [
    { title: null, rooms: [all, ...ofKind, room('Runs', runsPath(scope), 'runs')] },
    {
      title: 'Project',
      rooms: [
        room('API keys', apiKeysPath(scope), 'key'),
        room('Signing secrets', signingSecretsPath(scope), 'pen'),
        room('Defaults and limits', settingsPath(scope), 'sliders'),
      ],
    },
    {
      title: 'Organization',
      rooms: [room('Members', membersPath(scope), 'people'), room('Audit log', auditPath(scope), 'book')],
    },
  ]
}
