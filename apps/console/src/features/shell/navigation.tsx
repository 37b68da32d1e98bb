'use client'

import Link from 'next/link'
import { usePathname, useSearchParams } from 'next/navigation'
import { useEffect, useRef } from 'react'
import { Icon } from '#ui/icon.tsx'
import { type Room, roomsOf } from './rooms.ts'

/** The rooms of a project; the one on the screen is marked. On a phone they stand in a row that scrolls. */
export function Navigation({ scope }: { scope: { organization: string; project: string } }) {
  const path = usePathname()
  const kind = useSearchParams().get('kind')
  const nav = useRef<HTMLElement>(null)
  const groups = roomsOf(scope, path, kind)
  const here = groups.flatMap(group => group.rooms).find(room => room.isHere)?.href

  // In the row, the room one is in is to be seen; the page itself is not to move for it.
  useEffect(() => {
    const row = nav.current
    const marked = here === undefined ? null : row?.querySelector<HTMLElement>('[aria-current=page]')
    if (!row || !marked) return
    row.scrollLeft = marked.offsetLeft - (row.clientWidth - marked.offsetWidth) / 2
  }, [here])

  return (
    <nav
      ref={nav}
      aria-label="Project"
      className="relative -mx-1 overflow-x-auto md:mx-0 md:overflow-visible"
    >
      <div className="flex px-1 md:grid md:gap-4 md:px-0">
        {groups.map(group => (
          <div key={group.title} className="contents md:block">
            {group.title && (
              <h2 className="mb-1 px-2 text-xs font-medium text-muted max-md:sr-only">{group.title}</h2>
            )}
            <ul className="flex gap-1 md:flex-col md:gap-0.5">
              {group.rooms.map(room => (
                <li key={room.href}>
                  <RoomLink room={room} />
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </nav>
  )
}

function RoomLink({ room }: { room: Room }) {
  return (
    <Link
      href={room.href}
      aria-current={room.isHere ? 'page' : undefined}
      className={`control flex items-center gap-2 border-b-2 border-transparent px-2 py-1.5 text-[13px] font-medium whitespace-nowrap text-muted hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink md:rounded-control md:border-b-0 md:hover:bg-sunken md:aria-[current=page]:bg-sunken ${room.isPart ? 'md:ml-4' : ''}`}
    >
      <Icon name={room.icon} />
      {room.name}
    </Link>
  )
}
