import { STATUS_CODES } from 'node:http'
import type { ShownCertificate } from './connect-failure.ts'

/**
 * The words of every failed call, by class: what happened, and what to do about it. The resolved address of a name is
 * never in them, or a customer could read a private network's DNS.
 */

const NOT_PUBLIC = 'Workly calls addresses on the public internet only.'

export function blockedMessage(host: string, literal: boolean): string {
  if (literal) return `${host} is not an address on the public internet. ${NOT_PUBLIC}`
  return `${host} has an address that is not on the public internet. ${NOT_PUBLIC}`
}

/** The URL was taken when other settings held, or by a path that did not check it. */
export function refusedUrlMessage(why: string): string {
  return `The call was not made. ${why}`
}

export function refusedHeaderMessage(name: string): string {
  return `The call was not made: the header ${name} cannot be set for a request. Change it in the job.`
}

/** @param what undici's words, such as "invalid x-a header" */
export function unsendableMessage(what: string): string {
  return `The call was not made, since the request cannot be sent: ${what}. Change it in the job.`
}

export function dnsMessage(host: string, code: string | null): string {
  if (code === 'ENOTFOUND' || code === 'ENODATA') {
    return `The name ${host} has no address in DNS. Check the host in the URL, or publish an A or AAAA record for it.`
  }
  if (code === 'ETIMEOUT') return `The DNS servers of ${host} did not answer in time. Check that they are up.`
  return `${host} could not be looked up in DNS (${code ?? 'unknown error'}). Check its DNS records.`
}

export function connectMessage(host: string, port: number, code: string | null): string {
  if (code === 'ECONNREFUSED') {
    return `${host} refused the connection on port ${port}. Check that a server is running and listens there.`
  }
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') {
    return `There is no route to ${host}. Check its address and its network.`
  }
  if (code === 'ETIMEDOUT') {
    return `${host} did not answer on port ${port}. Check that it is up and that its firewall lets calls in.`
  }
  return `No connection to ${host} on port ${port} could be made (${code ?? 'unknown error'}).`
}

function day(date: string): string {
  return new Date(date).toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  })
}

/** The names a certificate is for, shortened to a few. */
function namesOf(certificate: ShownCertificate | null): string {
  const names = (certificate?.subjectaltname ?? '')
    .split(', ')
    .map(name => name.replace(/^(DNS|IP Address):/, ''))
  const shown = names.filter(name => name !== '').slice(0, 3)
  return shown.length === 0 ? 'another name' : shown.join(', ')
}

export function tlsMessage(host: string, code: string | null, certificate: ShownCertificate | null): string {
  switch (code) {
    case 'CERT_HAS_EXPIRED': {
      const when = certificate === null ? '' : ` on ${day(certificate.valid_to)}`
      return `The certificate of ${host} expired${when}; renew it.`
    }
    case 'CERT_NOT_YET_VALID': {
      const when = certificate === null ? '' : ` before ${day(certificate.valid_from)}`
      return `The certificate of ${host} is not valid${when}; install one that is.`
    }
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `The certificate of ${host} is for ${namesOf(certificate)}. Install one that names ${host}.`
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return `The certificate of ${host} is self-signed. Install one from a public certificate authority.`
    case 'SELF_SIGNED_CERT_IN_CHAIN':
      return `The certificate of ${host} is signed by an authority that is not publicly trusted.`
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_GET_ISSUER_CERT':
      return `The certificate of ${host} leads to no trusted authority. Have the server send its intermediate certificates, or install one from a public authority.`
    case 'CERT_REVOKED':
      return `The certificate of ${host} has been revoked; install a new one.`
    case 'ECONNRESET':
      return `${host} closed the connection during the TLS handshake. Check the server's TLS settings, and that the port is the one for https.`
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
      return `${host} does not speak TLS on this port. Check the port in the URL.`
    default:
      return `No secure connection to ${host} could be made (${code ?? 'unknown error'}). Check the server's certificate and TLS settings.`
  }
}

/** How far a call had come. */
export type CallStage = 'dns' | 'connect' | 'tls' | 'response' | 'body'

const WAITED_FOR: Record<CallStage, string> = {
  dns: 'its name was still being looked up in DNS',
  connect: 'it had not accepted the connection',
  tls: 'the TLS handshake had not ended',
  response: 'the request was sent but no response had come',
  body: 'the response had begun but not ended',
}

export function timeoutMessage(host: string, timeoutMs: number, stage: CallStage): string {
  const advice =
    stage === 'response' || stage === 'body'
      ? 'Answer sooner, or raise timeout_seconds; for long work, answer at once and report by callback.'
      : 'Check that the server is up and reachable.'
  return `${host} was not done within ${timeoutMs / 1000} s: ${WAITED_FOR[stage]}. ${advice}`
}

export function resetMessage(host: string, stage: CallStage): string {
  return stage === 'body'
    ? `${host} closed the connection in the middle of its response. Look in its log for why.`
    : `${host} closed the connection without answering. It may have done the work; look in its log for why it hung up.`
}

export function protocolMessage(host: string, code: string | null): string {
  const detail = code?.startsWith('HPE_') ? ` (${code.slice(4).toLowerCase().replaceAll('_', ' ')})` : ''
  return `What ${host} answered is not valid HTTP/1.1${detail}. Check that the URL's port belongs to a web server.`
}

export function responseTooLargeMessage(host: string): string {
  return `The response headers of ${host} are larger than 16 KiB. Send fewer or shorter headers.`
}

export const CANCELLED_MESSAGE = 'The call was cancelled while it was going.'

const STATUS_ADVICE: Readonly<Record<number, string>> = {
  401: "Check the credentials in the job's headers.",
  403: "Check that the credentials in the job's headers may do this.",
  404: 'Check the path in the URL.',
  405: "Check the job's method.",
  410: 'The address is gone for good: change the URL.',
  413: 'Send a smaller body.',
  415: "Check the job's content type.",
  429: 'It asks to be called less often.',
}

/** For a status that is no 2xx, where the body says nothing. */
export function statusMessage(status: number, location: string | null): string {
  const answered = `The target answered ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd()
  if (status >= 300 && status < 400) {
    if (location === null) return `${answered}, which is no success. Answer with a 2xx.`
    return `${answered} and pointed to ${location}. Redirects are not followed: set the URL to where the work is done.`
  }
  const advice = STATUS_ADVICE[status] ?? (status >= 500 ? 'Look in its log for why.' : 'Check the request.')
  return `${answered}. ${advice}`
}
