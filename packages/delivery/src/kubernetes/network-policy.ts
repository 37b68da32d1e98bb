import type { V1NetworkPolicy, V1NetworkPolicyEgressRule, V1NetworkPolicyPeer } from '@kubernetes/client-node'
import { type Cidr, isPublicAddress, publicBlocks } from '@workly/core'

/** Where the containers of every organization may go besides the public internet. */
export interface Egress {
  /** `WORKLY_ALLOWED_PRIVATE_TARGETS`. */
  allowedPrivate: readonly Cidr[]
  /** Blocks of name servers outside the cluster's own DNS pods, such as that of a DNS cache on each node. */
  dnsBlocks: readonly string[]
  /** Pods that take callbacks, where the callback's address is inside the cluster. */
  callbackPeers: readonly V1NetworkPolicyPeer[]
}

/** Addresses and port that a callback URL leads to. */
export interface CallbackAddress {
  addresses: readonly string[]
  port: number
}

const DNS_PORTS = [
  { protocol: 'UDP', port: 53 },
  { protocol: 'TCP', port: 53 },
]

const CLUSTER_DNS: V1NetworkPolicyPeer = {
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } },
  podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } },
}

function block(cidr: string): V1NetworkPolicyPeer {
  return { ipBlock: { cidr } }
}

function callbackRules(callback: CallbackAddress, peers: readonly V1NetworkPolicyPeer[]) {
  // Public ones are open already.
  const inside = callback.addresses.filter(address => !isPublicAddress(address)).toSorted()
  const rules: V1NetworkPolicyEgressRule[] = []
  if (inside.length > 0) {
    const to = inside.map(address => block(`${address}/${address.includes(':') ? 128 : 32}`))
    rules.push({ to, ports: [{ protocol: 'TCP', port: callback.port }] })
  }
  // Without ports: a Service's port is not its pods'.
  if (peers.length > 0) rules.push({ to: [...peers] })
  return rules
}

/**
 * The policy of an organization's namespace (spec section 3): nobody calls in; out go calls to section 7's public
 * addresses, to DNS, to where callbacks are taken, and to what the operator has opened. A cluster whose network plugin
 * does not enforce policies ignores it.
 */
export function networkPolicy(
  namespace: string,
  labels: Record<string, string>,
  egress: Egress,
  callback: CallbackAddress,
): V1NetworkPolicy {
  const { ipv4, ipv6 } = publicBlocks()
  const open = [ipv4, ipv6].map(({ within, except }) => ({ ipBlock: { cidr: within, except } }))
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'workly', namespace, labels },
    spec: {
      podSelector: {},
      policyTypes: ['Ingress', 'Egress'],
      ingress: [],
      egress: [
        { to: [...open, ...egress.allowedPrivate.map(({ text }) => block(cidrText(text)))] },
        { to: [CLUSTER_DNS, ...egress.dnsBlocks.map(block)], ports: DNS_PORTS },
        ...callbackRules(callback, egress.callbackPeers),
      ],
    },
  }
}

/** A bare address is a block of one to us, and an error to Kubernetes. */
function cidrText(text: string): string {
  return text.includes('/') ? text : `${text}/${text.includes(':') ? 128 : 32}`
}
