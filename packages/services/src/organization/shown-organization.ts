import type { Role } from '../context.ts'
import type { OrganizationRow } from '../tenant-scope.ts'
import { wireInstant } from '../wire-instant.ts'

/** An organization, as one of its members sees it. */
export interface Organization {
  id: string
  slug: string
  name: string
  /** The member's own role in it; null for the system. */
  role: Role | null
  created_at: string
}

export function shownOrganization(row: OrganizationRow, role: Role | null): Organization {
  return { id: row.id, slug: row.slug, name: row.name, role, created_at: wireInstant(row.created_at) }
}
