import { listOrganizationsOfUser, listProjects } from '@workly/services'
import { cookies } from 'next/headers'
import type { ReactNode } from 'react'
import { openProject } from '#features/project/open-project.ts'
import { ProjectScopeProvider } from '#features/project/project-scope.tsx'
import { Shell } from '#features/shell/shell.tsx'
import { readTheme, THEME_COOKIE } from '#ui/preference-cookies.ts'

interface LayoutProps {
  params: Promise<{ organization: string; project: string }>
  children: ReactNode
}

export default async function ProjectLayout({ params, children }: LayoutProps) {
  const { organization, project } = await params
  const { person, context, scope } = await openProject(organization, project)
  const [organizations, projects, jar] = await Promise.all([
    listOrganizationsOfUser(context.services, person.userId),
    listProjects(context),
    cookies(),
  ])
  return (
    <ProjectScopeProvider scope={scope}>
      <Shell
        person={person}
        scope={scope}
        organizations={organizations.map(({ id, slug, name }) => ({ id, slug, name }))}
        projects={projects.map(({ id, slug, name }) => ({ id, slug, name }))}
        organizationId={context.organizationId}
        projectId={context.projectId}
        theme={readTheme(jar.get(THEME_COOKIE)?.value)}
      >
        {children}
      </Shell>
    </ProjectScopeProvider>
  )
}
