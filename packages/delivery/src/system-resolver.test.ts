import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseCidrs } from '@workly/core'
import { afterEach, describe, expect, it } from 'vitest'
import { CallFixture, callOf } from '../test/call-fixture.ts'
import { DnsServer, type Zone } from '../test/dns-server.ts'
import { ResolveError, SystemResolver } from './index.ts'

const never = new AbortController().signal
const toClose: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const thing of toClose.splice(0).reverse()) await thing.close()
})

async function resolverFor(
  zone: Zone,
  hostsFile: string | null = null,
): Promise<[SystemResolver, DnsServer]> {
  const server = await DnsServer.start(zone)
  toClose.push(server)
  return [new SystemResolver({ hostsFile, servers: [server.address] }), server]
}

const codeOf = async (going: Promise<unknown>) => {
  const error = await going.then(
    () => null,
    reason => reason,
  )
  return error instanceof ResolveError ? error.code : error
}

describe('SystemResolver', () => {
  it('gives every IPv4 and IPv6 address of a name', async () => {
    const addresses = ['93.184.215.14', '93.184.215.15', '2606:4700:4700::1111']
    const [resolver] = await resolverFor({ 'dual.example': { addresses, ttl: 60 } })
    expect((await resolver.resolve('dual.example', never)).toSorted()).toEqual(addresses.toSorted())
  })

  it('gives the addresses of a name that has only one kind', async () => {
    const [resolver] = await resolverFor({
      'v4.example': { addresses: ['93.184.215.14'], ttl: 60 },
      'v6.example': { addresses: ['2606:4700:4700::1111'], ttl: 60 },
    })
    expect(await resolver.resolve('v4.example', never)).toEqual(['93.184.215.14'])
    expect(await resolver.resolve('v6.example', never)).toEqual(['2606:4700:4700::1111'])
  })

  it('says why there is no address', async () => {
    const [resolver] = await resolverFor({
      'broken.example': 'servfail',
      'bare.example': { addresses: [], ttl: 0 },
    })
    expect(await codeOf(resolver.resolve('nowhere.example', never))).toBe('ENOTFOUND')
    expect(await codeOf(resolver.resolve('bare.example', never))).toBe('ENODATA')
    expect(await codeOf(resolver.resolve('broken.example', never))).toBe('ESERVFAIL')
  })

  it('asks once for all who wait, and again only after the TTL', async () => {
    const [resolver, server] = await resolverFor({
      'kept.example': { addresses: ['93.184.215.14'], ttl: 60 },
      'brief.example': { addresses: ['93.184.215.14'], ttl: 0 },
    })
    for (const host of ['kept.example', 'brief.example']) {
      await Promise.all([resolver.resolve(host, never), resolver.resolve(host, never)])
      await resolver.resolve(host, never)
    }
    // Two questions, A and AAAA, for each look-up.
    expect(server.asked.filter(name => name === 'kept.example')).toHaveLength(2)
    expect(server.asked.filter(name => name === 'brief.example')).toHaveLength(4)
  })

  it('does not keep a failure', async () => {
    const zone: Zone = {}
    const [resolver] = await resolverFor(zone)
    expect(await codeOf(resolver.resolve('new.example', never))).toBe('ENOTFOUND')
    zone['new.example'] = { addresses: ['93.184.215.14'], ttl: 60 }
    expect(await resolver.resolve('new.example', never)).toEqual(['93.184.215.14'])
  })

  it('lets one who waits leave without the others, and stops when all have left', async () => {
    const [resolver] = await resolverFor({ 'dead.example': 'silent' })
    const [first, second] = [new AbortController(), new AbortController()]
    const going = [
      resolver.resolve('dead.example', first.signal),
      resolver.resolve('dead.example', second.signal),
    ]
    const ends = Promise.allSettled(going)
    first.abort(new Error('first left'))
    await expect(going[0]).rejects.toThrow('first left')
    second.abort(new Error('second left'))
    expect((await ends).map(end => end.status)).toEqual(['rejected', 'rejected'])
    await expect(resolver.resolve('dead.example', AbortSignal.abort(new Error('gone')))).rejects.toThrow(
      'gone',
    )
  })

  it('is not held up by fifty names whose servers are dead', async () => {
    const dead = Array.from({ length: 50 }, (_, n) => `dead-${n}.example`)
    const zone: Zone = Object.fromEntries(dead.map(name => [name, 'silent' as const]))
    const [resolver] = await resolverFor({
      ...zone,
      'good.example': { addresses: ['93.184.215.14'], ttl: 60 },
    })
    const stop = new AbortController()
    const hung = Promise.allSettled(dead.map(name => resolver.resolve(name, stop.signal)))
    expect(await resolver.resolve('good.example', never)).toEqual(['93.184.215.14'])
    stop.abort()
    await hung
  })

  it('reads a hosts file first where it is given one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'workly-hosts-'))
    toClose.push({ close: () => rm(folder, { recursive: true }) })
    const file = join(folder, 'hosts')
    await writeFile(
      file,
      '# names\n::7 intranet.test\n10.0.0.7\tintranet.test Alias.Test # the wiki\nnonsense alias.test\n',
    )
    const [resolver, server] = await resolverFor({ 'intranet.test': 'servfail' }, file)
    expect(await resolver.resolve('intranet.test', never)).toEqual(['10.0.0.7', '::7'])
    expect(await resolver.resolve('alias.test', never)).toEqual(['10.0.0.7'])
    expect(server.asked).toEqual([])
    expect(await codeOf(resolver.resolve('other.test', never))).toBe('ENOTFOUND')
  })

  it('does without a hosts file that is not there', async () => {
    const [resolver] = await resolverFor(
      { 'a.test': { addresses: ['93.184.215.14'], ttl: 1 } },
      '/nowhere/hosts',
    )
    expect(await resolver.resolve('a.test', never)).toEqual(['93.184.215.14'])
  })
})

describe('a call with it', () => {
  it('goes where DNS says, and says when DNS says nothing', async () => {
    const fixture = new CallFixture()
    toClose.push(fixture)
    const [resolver] = await resolverFor({
      'target.test': { addresses: ['127.0.0.1'], ttl: 60 },
      'private.test': { addresses: ['10.0.0.1'], ttl: 60 },
    })
    const target = await fixture.receiver()
    const caller = fixture.caller({ resolver, allowedPrivate: parseCidrs('127.0.0.0/8') })
    const classOf = async (host: string) => (await caller.call(callOf(target.url('/', host)), 0)).class
    expect(await classOf('target.test')).toBe('ok')
    expect(await classOf('private.test')).toBe('blocked')
    expect(await classOf('nowhere.test')).toBe('dns')
  })
})
