import { wireText } from '@workly/core'
import {
  apiKeyCreate,
  createApiKey,
  createSigningSecret,
  expireSigningSecret,
  listApiKeys,
  listSigningSecrets,
  revokeApiKey,
  rotateSigningSecret,
} from '@workly/services'
import { z } from 'zod'
import { projectProcedure, router } from './init.ts'

const id = z.object({ id: wireText(100) })

/** The project's API keys; a key itself is in the answer that makes it, and nowhere else. */
export const apiKeyRouter = router({
  list: projectProcedure.query(({ ctx }) => listApiKeys(ctx.project)),
  create: projectProcedure
    .input(z.object({ key: apiKeyCreate }))
    .mutation(({ ctx, input }) => createApiKey(ctx.project, input.key)),
  revoke: projectProcedure.input(id).mutation(({ ctx, input }) => revokeApiKey(ctx.project, input.id)),
})

/** The project's signing secrets, shown once as keys are. */
export const signingSecretRouter = router({
  list: projectProcedure.query(({ ctx }) => listSigningSecrets(ctx.project)),
  create: projectProcedure.mutation(({ ctx }) => createSigningSecret(ctx.project)),
  rotate: projectProcedure.mutation(({ ctx }) => rotateSigningSecret(ctx.project)),
  expire: projectProcedure.input(id).mutation(({ ctx, input }) => expireSigningSecret(ctx.project, input.id)),
})
