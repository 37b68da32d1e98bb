import { WorklyError, wireText } from '@workly/core'
import {
  acceptInvitation,
  auditList,
  changeRole,
  getProject,
  inviteMember,
  isAllowed,
  listAudit,
  listInvitations,
  listMembers,
  memberInvite,
  projectDefaults,
  registerByInvitation,
  registration,
  removeMember,
  revokeInvitation,
  roleChange,
  setProjectDefaults,
} from '@workly/services'
import { z } from 'zod'
import { Gate, GateFull } from '../features/session/gate.ts'
import { openProcedure, personProcedure, projectProcedure, router } from './init.ts'

const id = z.object({ id: wireText(100) })

/** Who belongs to the organization of the project on the screen, and who is invited. */
export const memberRouter = router({
  list: projectProcedure.query(async ({ ctx }) => {
    const isAdmin = isAllowed(ctx.project.actor, 'admin')
    const [members, invitations] = await Promise.all([
      listMembers(ctx.project),
      isAdmin ? listInvitations(ctx.project) : [],
    ])
    return { members, invitations }
  }),
  /** The token is for the invitation's link, and told this once. */
  invite: projectProcedure
    .input(z.object({ invite: memberInvite }))
    .mutation(({ ctx, input }) => inviteMember(ctx.project, input.invite)),
  revokeInvitation: projectProcedure
    .input(id)
    .mutation(({ ctx, input }) => revokeInvitation(ctx.project, input.id)),
  changeRole: projectProcedure
    .input(id.extend(roleChange.shape))
    .mutation(({ ctx, input }) => changeRole(ctx.project, input.id, { role: input.role })),
  remove: projectProcedure.input(id).mutation(({ ctx, input }) => removeMember(ctx.project, input.id)),
})

/** A new password takes much memory to hash, as one that is checked. */
const registering = new Gate(1, 20)

/** For whoever holds an invitation's link. */
export const invitationRouter = router({
  accept: personProcedure
    .input(z.object({ token: wireText(200) }))
    .mutation(({ ctx, input }) =>
      acceptInvitation(ctx.services, ctx.person.userId, input.token, ctx.requestId),
    ),
  /** For who has no account yet. They sign in afterwards, as everybody does. */
  register: openProcedure
    .input(z.object({ token: wireText(200), ...registration.shape }))
    .mutation(async ({ ctx, input: { token, name, password } }) => {
      try {
        const register = () => registerByInvitation(ctx.services, token, { name, password }, ctx.requestId)
        const { email, organization } = await registering.pass(register)
        return { email, slug: organization.slug }
      } catch (error) {
        if (!(error instanceof GateFull)) throw error
        throw new WorklyError('rate_limited', 'Many people are signing up just now. Try again in a moment.')
      }
    }),
})

export const auditRouter = router({
  list: projectProcedure
    .input(z.object(auditList.shape))
    .query(({ ctx, input }) => listAudit(ctx.project, { limit: input.limit, cursor: input.cursor })),
})

export const projectRouter = router({
  /** With its defaults and the limits in force. */
  get: projectProcedure.query(({ ctx }) => getProject(ctx.project, ctx.project.projectId)),
  setDefaults: projectProcedure
    .input(z.object({ defaults: projectDefaults }))
    .mutation(({ ctx, input }) => setProjectDefaults(ctx.project, input.defaults)),
})
