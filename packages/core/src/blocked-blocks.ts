import ipaddr from 'ipaddr.js'
import { AZURE_PLATFORM, GLOBAL_UNICAST, SIX_BONE } from './address.ts'

/** What a firewall has to let through and to hold back so that it agrees with `isPublicAddress`. */
export interface PublicBlocks {
  /** The block that all public addresses of the family are in. */
  within: string
  /** Blocks inside it that are not public; none lies in another. */
  except: string[]
}

type Block = readonly [ipaddr.IPv4 | ipaddr.IPv6, number]

/** ipaddr.js keeps a range as one block or as a list of blocks. */
function blocksOf(range: Block | readonly Block[]): readonly Block[] {
  return typeof range[1] === 'number' ? [range as Block] : (range as readonly Block[])
}

function inside(inner: Block, outer: Block): boolean {
  return inner[0].kind() === outer[0].kind() && inner[1] >= outer[1] && inner[0].match(outer[0], outer[1])
}

function outermost(blocks: readonly Block[]): string[] {
  return blocks
    .filter(
      (block, at) =>
        !blocks.some((other, i) => i !== at && inside(block, other) && !(inside(other, block) && i > at)),
    )
    .map(([address, prefix]) => `${address}/${prefix}`)
}

function specialBlocks(family: typeof ipaddr.IPv4 | typeof ipaddr.IPv6): readonly Block[] {
  const ranges = family.prototype as unknown as { SpecialRanges: Record<string, Block | readonly Block[]> }
  return Object.values(ranges.SpecialRanges).flatMap(blocksOf)
}

/**
 * The public unicast internet of spec section 7 in blocks, made from the very table that `isPublicAddress` asks; for
 * firewalls such as a Kubernetes NetworkPolicy, which can't call a function.
 */
export function publicBlocks(): { ipv4: PublicBlocks; ipv6: PublicBlocks } {
  const global: Block = GLOBAL_UNICAST
  return {
    ipv4: {
      within: '0.0.0.0/0',
      except: outermost([...specialBlocks(ipaddr.IPv4), [ipaddr.IPv4.parse(AZURE_PLATFORM), 32]]),
    },
    ipv6: {
      within: `${global[0]}/${global[1]}`,
      except: outermost([...specialBlocks(ipaddr.IPv6).filter(block => inside(block, global)), SIX_BONE]),
    },
  }
}
