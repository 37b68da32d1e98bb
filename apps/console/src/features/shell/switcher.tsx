'use client'

import Link from 'next/link'
import { jobsPath } from '#features/project/addresses.ts'
import { Icon } from '#ui/icon.tsx'
import { Menu } from '#ui/menu.tsx'

/** An organization or a project, by name. */
export interface Place {
  id: string
  slug: string
  name: string
}

interface SwitcherProps {
  organizations: Place[]
  projects: Place[]
  organizationId: string
  projectId: string
}

/** Shows where one is, and leads to the other projects and organizations. */
export function Switcher({ organizations, projects, organizationId, projectId }: SwitcherProps) {
  const organization = organizations.find(o => o.id === organizationId)
  const project = projects.find(p => p.id === projectId)
  return (
    <Menu
      buttonClassName="control flex w-full max-w-72 items-center gap-2.5 rounded-control px-2 py-1.5 text-left hover:bg-sunken"
      button={
        <>
          <span
            aria-hidden="true"
            className="grid size-7 shrink-0 place-items-center rounded-control bg-accent text-[13px] font-semibold text-on-accent"
          >
            {(organization?.name ?? '?').slice(0, 1).toUpperCase()}
          </span>
          <span className="min-w-0 flex-1">
            <span className="sr-only">Switch organization or project. Now: </span>
            <span className="block truncate text-[13px] leading-4 font-semibold">{project?.name}</span>
            <span className="block truncate text-xs leading-4 text-muted">{organization?.name}</span>
          </span>
          <Icon name="upDown" className="size-4 text-muted" />
        </>
      }
    >
      <PlaceList
        title="Projects"
        places={projects}
        hereId={projectId}
        hrefOf={slug => jobsPath({ organization: organization?.slug ?? '', project: slug })}
      />
      <PlaceList
        title="Organizations"
        places={organizations}
        hereId={organizationId}
        hrefOf={slug => `/${slug}`}
      />
    </Menu>
  )
}

interface PlaceListProps {
  title: string
  places: Place[]
  hereId: string
  hrefOf: (slug: string) => string
}

function PlaceList({ title, places, hereId, hrefOf }: PlaceListProps) {
  return (
    <div className="not-first:mt-1.5 not-first:border-t not-first:border-line not-first:pt-1.5">
      <h2 className="px-2 py-1 text-xs font-medium text-muted">{title}</h2>
      <ul>
        {places.map(place => (
          <li key={place.id}>
            <Link
              href={hrefOf(place.slug)}
              prefetch={false}
              aria-current={place.id === hereId ? 'true' : undefined}
              className="control flex items-center justify-between gap-4 rounded-control px-2 py-1 text-[13px] hover:bg-sunken"
            >
              <span className="truncate">{place.name}</span>
              {place.id === hereId && <Icon name="check" className="size-4 text-accent" />}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}
