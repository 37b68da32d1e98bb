import { createPrisma, type Sql } from '@workly/db'
import {
  createApiKey,
  createOrganization,
  createProject,
  createUser,
  LIMIT_DEFAULTS,
  readEncryptionKeys,
  type Services,
} from '@workly/services'

/** A project of an organization of its own, with a key. */
export interface Tenant {
  slug: string
  organizationId: string
  projectId: string
  apiKey: string
}

/** Founds an organization with a project and a key, as the console does; there is no public API for that. */
export async function foundTenant(
  sql: Sql,
  databaseUrl: string,
  encryptionKeys: string,
  slug: string,
): Promise<Tenant> {
  const prisma = createPrisma(databaseUrl, { max: 1, name: 'faults' })
  try {
    const services: Services = {
      sql,
      prisma,
      encryption: readEncryptionKeys(encryptionKeys),
      limits: LIMIT_DEFAULTS,
      allowHttp: 'loopback',
      allowedPrivate: [],
    }
    const user = await createUser(services, {
      email: `${slug}@example.com`,
      password: 'correct horse battery staple',
      name: slug,
      email_verified: true,
    })
    const organization = await createOrganization(services, user.id, { slug, name: slug }, null)
    const ctx = {
      services,
      organizationId: organization.id,
      actor: { kind: 'user', id: user.id, name: slug, role: 'owner' } as const,
      requestId: null,
    }
    const { project } = await createProject(ctx, { slug: 'main', name: 'Main' })
    const { key } = await createApiKey({ ...ctx, projectId: project.id }, { name: 'faults', scope: 'write' })
    return { slug, organizationId: organization.id, projectId: project.id, apiKey: key }
  } finally {
    await prisma.$disconnect()
  }
}
