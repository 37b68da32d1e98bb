import { wireText } from '@workly/core'
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
  removeMember,
  revokeInvitation,
  roleChange,
  setProjectDefaults,
} from '@workly/services'
import { z } from 'zod'
import { personProcedure, projectProcedure, router } from './init.ts'

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

/** For whoever is signed in and holds an invitation's link. */
export const invitationRouter = router({
  accept: personProcedure
    .input(z.object({ token: wireText(200) }))
    .mutation(({ ctx, input }) =>
      acceptInvitation(ctx.services, ctx.person.userId, input.token, ctx.requestId),
    ),
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
