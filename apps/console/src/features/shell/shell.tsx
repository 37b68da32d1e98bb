import type { Person } from '@workly/services'
import type { ReactNode } from 'react'
import type { ProjectScope } from '#features/project/project-scope.tsx'
import type { Theme } from '#ui/preference-cookies.ts'
import { Navigation } from './navigation.tsx'
import { StaleNotice } from './stale-notice.tsx'
import { type Place, Switcher } from './switcher.tsx'
import { UserMenu } from './user-menu.tsx'

interface ShellProps {
  person: Person
  scope: ProjectScope
  organizations: Place[]
  projects: Place[]
  organizationId: string
  projectId: string
  theme: Theme
  children: ReactNode
}

/** What stands around every page of a project: a side bar, on a phone a head with the rooms below it. */
export function Shell({
  person,
  scope,
  organizations,
  projects,
  organizationId,
  projectId,
  theme,
  children,
}: ShellProps) {
  return (
    <div className="min-h-dvh md:grid md:grid-cols-[15rem_minmax(0,1fr)]">
      <a
        href="#main"
        className="sr-only rounded-control bg-accent px-3 py-2 text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50"
      >
        Skip to content
      </a>
      <header className="flex flex-wrap items-center gap-x-2 border-b border-line bg-surface px-3 pt-2 md:sticky md:top-0 md:h-dvh md:flex-col md:flex-nowrap md:items-stretch md:gap-4 md:border-r md:border-b-0 md:p-3">
        <div className="min-w-0 flex-1 md:flex-none">
          <Switcher
            organizations={organizations}
            projects={projects}
            organizationId={organizationId}
            projectId={projectId}
          />
        </div>
        <div className="order-last w-full md:order-none">
          <Navigation scope={scope} />
        </div>
        <div className="md:mt-auto">
          <UserMenu email={person.email} name={person.name} role={scope.role} theme={theme} />
        </div>
      </header>
      <main id="main" tabIndex={-1} className="mx-auto w-full max-w-[76rem] px-4 py-6 md:px-8">
        {children}
      </main>
      <StaleNotice />
    </div>
  )
}
