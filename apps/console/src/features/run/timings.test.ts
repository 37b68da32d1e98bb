import { describe, expect, it } from 'vitest'
import { phases } from './timings.ts'

describe('phases', () => {
  it('puts the parts of a fresh secure call one after the other', () => {
    expect(phases({ dns_ms: 4, connect_ms: 10, tls_ms: 20, first_byte_ms: 100, total_ms: 110 })).toEqual([
      { name: 'DNS', start: 0, end: 4 },
      { name: 'Connect', start: 4, end: 14 },
      { name: 'TLS', start: 14, end: 34 },
      { name: 'Waiting', start: 34, end: 100 },
      { name: 'Download', start: 100, end: 110 },
    ])
  })

  it('has only waiting and download on a connection used again', () => {
    const parts = phases({ dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: 50, total_ms: 50 })
    expect(parts.map(part => part.name)).toEqual(['Waiting', 'Download'])
  })

  it('waits to the end where no answer came', () => {
    const parts = phases({ dns_ms: 2, connect_ms: 3, tls_ms: null, first_byte_ms: null, total_ms: 30_000 })
    expect(parts.at(-1)).toEqual({ name: 'Waiting', start: 5, end: 30_000 })
  })

  it('is one total where no part is known, as of a container or a name that has no address', () => {
    const none = { dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: null }
    expect(phases({ ...none, total_ms: 700 })).toEqual([{ name: 'Total', start: 0, end: 700 }])
  })

  it('is empty before anything is known', () => {
    expect(
      phases({ dns_ms: null, connect_ms: null, tls_ms: null, first_byte_ms: null, total_ms: null }),
    ).toEqual([])
  })
})
