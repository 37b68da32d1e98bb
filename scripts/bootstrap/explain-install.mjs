import { PNPM, ROOT } from './place.mjs'
import { tail } from './report.mjs'

const UNREACHABLE =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT|ERR_PNPM_META_FETCH_FAIL|CERT_|SELF_SIGNED/

/**
 * Why the packages could not be installed, in one sentence where the reason is one that people meet.
 *
 * @param {string} output what npx and pnpm printed
 * @param {string} log where all of it is kept
 */
export function explainInstall(output, log) {
  if (/spawn npx\S* ENOENT/.test(output)) return 'npm is missing: it comes with Node, see https://nodejs.org.'
  if (/ERR_PNPM_OUTDATED_LOCKFILE/.test(output)) {
    return `pnpm-lock.yaml does not fit the package.json files: run npx ${PNPM} install and commit the lock file.`
  }
  if (UNREACHABLE.test(output)) {
    return `The npm registry cannot be reached (npm config get registry shows which): check the network or the proxy and start again. Log: ${log}`
  }
  if (/ENOSPC|no space left/i.test(output))
    return `The disk is full: free some space for ${ROOT} and start again.`
  if (/EACCES|EPERM|EROFS/.test(output)) {
    return `Workly may not write to ${ROOT} or to npm's cache: give both to the user who starts it. Log: ${log}`
  }
  return `${tail(output)}\nInstalling the packages failed; the whole log is in ${log}`
}
