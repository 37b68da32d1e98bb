import type { ProjectDefaults } from '../job/job-settings.ts'
import type { ProjectRow } from '../tenant-scope.ts'
import { wireInstant } from '../wire-instant.ts'

export interface Project {
  id: string
  slug: string
  name: string
  /** What a PUT or a console create fills in for settings it omits, where the project sets it (spec section 4). */
  default_settings: ProjectDefaults
  created_at: string
}

export function shownProject(row: ProjectRow): Project {
  return {
    id: row.id,
    slug: row.slug,
    name: row.name,
    default_settings: row.default_settings,
    created_at: wireInstant(row.created_at),
  }
}
