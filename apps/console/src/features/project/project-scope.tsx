'use client'

import { createContext, type ReactNode, useContext } from 'react'

export interface ProjectScope {
  organization: string
  project: string
  /** The reader's role in the organization. */
  role: string
  /** What that role may do; the verbs decide again on every call. */
  can: { run: boolean; write: boolean; admin: boolean }
  /** Which addresses its jobs may call, in words. */
  targetHint: string
}

const ProjectScopeContext = createContext<ProjectScope | null>(null)

export function ProjectScopeProvider({ scope, children }: { scope: ProjectScope; children: ReactNode }) {
  return <ProjectScopeContext value={scope}>{children}</ProjectScopeContext>
}

/** The project on the screen. */
export function useProjectScope(): ProjectScope {
  const scope = useContext(ProjectScopeContext)
  if (!scope) throw new Error('used outside a project')
  return scope
}

/** The project's slugs, as every call of its procedures takes them. */
export function useProjectInput(): { organization: string; project: string } {
  const { organization, project } = useProjectScope()
  return { organization, project }
}

/** The least role that may do it (spec section 10). */
export const NEEDED = { run: 'operator', write: 'developer', admin: 'admin' } as const

/** Why the reader may not do it, or undefined when they may. */
export function useRefusal(permission: keyof typeof NEEDED): string | undefined {
  const { can, role } = useProjectScope()
  if (can[permission]) return undefined
  return `Your role here is ${role}; this needs ${NEEDED[permission]} or above.`
}
