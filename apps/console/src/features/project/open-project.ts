import { consoleContext, isAllowed, type ProjectContext, type Session } from '@workly/services'
import { headers } from 'next/headers'
import { notFound, redirect } from 'next/navigation'
import { cache } from 'react'
import { type SignedIn, signedIn } from '#auth.ts'
import { composition } from '#compose.ts'
import { newRequestId } from '#request-id.ts'
import { projectScope } from '#trpc/init.ts'
import { isWorklyError } from '#trpc/public-error.ts'
import type { ProjectScope } from './project-scope.tsx'
import { targetHint } from './target-hint.ts'

/** Who is signed in; anybody else is sent to sign in and back to where they were. */
export async function requirePerson(): Promise<SignedIn> {
  const person = await signedIn()
  if (person) return person
  const path = (await headers()).get('x-workly-path') ?? '/'
  redirect(path === '/' ? '/sign-in' : `/sign-in?callbackUrl=${encodeURIComponent(path)}`)
}

export interface OpenProject {
  person: SignedIn
  context: ProjectContext
  scope: ProjectScope
}

/**
 * The project of an address for the person who is signed in, read anew on every request. A project that is not theirs
 * is not found, as one that does not exist.
 */
export const openProject = cache(async (organization: string, project: string): Promise<OpenProject> => {
  const person = await requirePerson()
  const place = projectScope.safeParse({ organization, project })
  if (!place.success) notFound()
  const context = await memberContext(person.session, organization, project)
  const { actor } = context
  const role = actor.kind === 'user' ? actor.role : 'viewer'
  const can = {
    run: isAllowed(actor, 'run'),
    write: isAllowed(actor, 'write'),
    admin: isAllowed(actor, 'admin'),
  }
  const scope = { organization, project, role, can, targetHint: targetHint(context.services) }
  return { person, context, scope }
})

async function memberContext(
  session: Session,
  organization: string,
  project: string,
): Promise<ProjectContext> {
  try {
    return await consoleContext(composition().services, session, organization, project, newRequestId())
  } catch (error) {
    if (isWorklyError(error) && error.code === 'not_found') notFound()
    throw error
  }
}
