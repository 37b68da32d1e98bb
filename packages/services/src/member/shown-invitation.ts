import type { Role } from '../context.ts'
import { wireInstant } from '../wire-instant.ts'

export type InvitationState = 'open' | 'accepted' | 'revoked' | 'expired'

/** An invitation without its token. */
export interface Invitation {
  id: string
  email: string
  role: Role
  state: InvitationState
  created_at: string
  expires_at: string
}

export interface InvitationRow {
  id: string
  organization_id: string
  email: string
  role: Role
  invited_by: string
  created_at: Date
  expires_at: Date
  accepted_at: Date | null
  revoked_at: Date | null
}

export const INVITATION_COLUMNS = [
  'id',
  'organization_id',
  'email',
  'role',
  'invited_by',
  'created_at',
  'expires_at',
  'accepted_at',
  'revoked_at',
] as const

export function invitationState(row: InvitationRow, now: Date): InvitationState {
  if (row.accepted_at) return 'accepted'
  if (row.revoked_at) return 'revoked'
  return row.expires_at <= now ? 'expired' : 'open'
}

export function shownInvitation(row: InvitationRow, now: Date): Invitation {
  return {
    id: row.id,
    email: row.email,
    role: row.role,
    state: invitationState(row, now),
    created_at: wireInstant(row.created_at),
    expires_at: wireInstant(row.expires_at),
  }
}
