'use client'

import Link from 'next/link'
import { usePathname } from 'next/navigation'
import { jobsPath, newJobPath, runsPath } from '#features/project/addresses.ts'
import { Icon, type IconName } from '#ui/icon.tsx'

interface Room {
  name: string
  href: string
  icon: IconName
  isHere: (path: string) => boolean
}

/** The rooms of a project; the one on the screen is marked. */
export function Navigation({ scope }: { scope: { organization: string; project: string } }) {
  const path = usePathname()
  const jobs = jobsPath(scope)
  const runs = runsPath(scope)
  const rooms: Room[] = [
    { name: 'Jobs', href: jobs, icon: 'jobs', isHere: p => p.startsWith(jobs) || p === newJobPath(scope) },
    { name: 'Runs', href: runs, icon: 'runs', isHere: p => p.startsWith(runs) },
  ]
  return (
    <nav aria-label="Project" className="-mx-1 overflow-x-auto md:mx-0">
      <ul className="flex gap-1 px-1 md:flex-col md:gap-0.5 md:px-0">
        {rooms.map(room => (
          <li key={room.href}>
            <Link
              href={room.href}
              aria-current={room.isHere(path) ? 'page' : undefined}
              className="control flex items-center gap-2 border-b-2 border-transparent px-2 py-1.5 text-[13px] font-medium text-muted hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink md:rounded-control md:border-b-0 md:hover:bg-sunken md:aria-[current=page]:bg-sunken"
            >
              <Icon name={room.icon} />
              {room.name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
