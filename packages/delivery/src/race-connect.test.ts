import type { Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { DeafListener } from '../test/deaf-listener.ts'
import { secondLoopback } from '../test/loopback.ts'
import { TestReceiver } from '../test/test-receiver.ts'
import { errorCode } from './connect-failure.ts'
import { raceConnect } from './race-connect.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const receiver of open.splice(0)) await receiver.close()
})

async function receiverAt(address: string, port = 0): Promise<TestReceiver> {
  const receiver = await TestReceiver.start({ address, port })
  open.push(receiver)
  return receiver
}

function race(addresses: string[], port: number): Promise<{ error: Error | null; address: string }> {
  return new Promise(resolve => {
    raceConnect(addresses, port, (error, socket, address) => {
      socket?.destroy()
      resolve({ error, address })
    })
  })
}

describe('raceConnect', () => {
  it('connects to the first address', async () => {
    const { port } = await receiverAt('127.0.0.1')
    expect(await race(['127.0.0.1', '127.0.0.1'], port)).toEqual({ error: null, address: '127.0.0.1' })
  })

  it('goes on to the next at once when one refuses', async () => {
    const other = await secondLoopback()
    const { port } = await receiverAt(other)
    expect(await race(['127.0.0.1', other], port)).toEqual({ error: null, address: other })
  })

  it('tries the next beside one that does not answer', async () => {
    const deaf = await DeafListener.start('127.0.0.1')
    open.push(deaf)
    const other = await secondLoopback()
    await receiverAt(other, deaf.port)
    expect(await race(['127.0.0.1', other], deaf.port)).toEqual({ error: null, address: other })
  })

  it('does not give one up because it is slower than the others refuse', async () => {
    const deaf = await DeafListener.start('127.0.0.1')
    open.push(deaf)
    const refusing = await secondLoopback()
    const going = race(['127.0.0.1', refusing], deaf.port)
    deaf.hear()
    expect(await going).toEqual({ error: null, address: '127.0.0.1' })
  })

  it('fails with the first error when all refuse', async () => {
    const { port } = await receiverAt('127.0.0.1')
    await open[0]?.close()
    const { error } = await race(['127.0.0.1', await secondLoopback()], port)
    expect(errorCode(error)).toBe('ECONNREFUSED')
  })

  it('tries no more than six addresses', async () => {
    const other = await secondLoopback()
    const { port } = await receiverAt(other)
    const refusing = Array<string>(6).fill('127.0.0.1')
    expect(errorCode((await race([...refusing, other], port)).error)).toBe('ECONNREFUSED')
    expect((await race([...refusing.slice(1), other], port)).address).toBe(other)
  })

  it('connects nobody after it was given up', async () => {
    const { port } = await receiverAt('127.0.0.1')
    const seen: (Socket | null)[] = []
    raceConnect(['127.0.0.1'], port, (_error, socket) => seen.push(socket))()
    await race(['127.0.0.1'], port)
    expect(seen).toEqual([])
  })
})
