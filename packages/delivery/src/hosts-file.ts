import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'

/**
 * The addresses that a hosts file (hosts(5)) gives for a name, IPv4 first; none when it has no such name or the file is
 * not there. Names are compared without case.
 */
export async function lookUpInHosts(file: string, host: string): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const wanted = host.toLowerCase()
  const found: string[] = []
  for (const line of text.split('\n')) {
    const [address = '', ...names] = (line.split('#')[0] ?? '').trim().split(/\s+/)
    if (isIP(address) !== 0 && names.some(name => name.toLowerCase() === wanted)) found.push(address)
  }
  return [...new Set(found)].sort((a, b) => isIP(a) - isIP(b))
}
