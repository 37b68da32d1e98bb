import { rotateEncryption, type Services } from '@workly/services'
import { Said } from './said.ts'

/** How many of those that cannot be read are named. */
const NAMED = 20

/**
 * Encrypts every secret anew with the newest key and tells what became of them.
 * @throws Said when some could not be read: they are as they were, and the older keys are still needed
 */
export async function rotate(services: Services, progress: (line: string) => void): Promise<string> {
  const rotation = await rotateEncryption(services, rotated =>
    progress(`  ${rotated} secrets encrypted anew …\n`),
  )
  const { keyId, rotated, unreadable, awaited } = rotation
  if (unreadable.length > 0) {
    const named = unreadable.slice(0, NAMED).map(({ table, id, reason }) => `  ${table} ${id}: ${reason}`)
    if (unreadable.length > NAMED) named.push(`  and ${unreadable.length - NAMED} more`)
    throw new Said(
      `${rotated} secrets are encrypted anew with ${keyId}. ${unreadable.length} could not be read and are as they were:\n${named.join('\n')}\nAdd the keys they need and run this again.`,
    )
  }
  const lines = [
    rotated === 0
      ? `Every secret is encrypted with ${keyId} already.`
      : `${rotated} secrets are encrypted anew with ${keyId}.`,
    ...awaited.map(
      ({ keyId: old, waits }) =>
        `Keep ${old} for now: ${waits} ${waits === 1 ? 'callback is' : 'callbacks are'} still waited for that it made the address of.`,
    ),
    'Once every process has been started with this list of keys, run this a last time; then the older keys can go.',
  ]
  return `${lines.join('\n')}\n`
}
