import { loadYaml } from '@kubernetes/client-node'
import { Refusal } from './stored-object.ts'

export interface Access {
  verb: string
  group: string
  /** With its subresource, such as `pods/log`. */
  resource: string
}

interface ClusterRole {
  rules: { apiGroups: string[]; resources: string[]; verbs: string[] }[]
}

/** Who may do what: a token that may do all, and one that may do what a ClusterRole says. */
export class AccessRules {
  readonly #admin: string
  readonly #tokens = new Map<string, ClusterRole>()

  constructor(admin: string) {
    this.#admin = admin
  }

  /** @param yaml of a ClusterRole, as an operator would apply it */
  grant(token: string, yaml: string): void {
    this.#tokens.set(token, loadYaml<ClusterRole>(yaml))
  }

  check(authorization: string | undefined, { verb, group, resource }: Access): void {
    const token = authorization?.replace(/^Bearer /, '') ?? ''
    if (token === this.#admin) return
    const role = this.#tokens.get(token)
    if (role === undefined) throw new Refusal(401, 'Unauthorized', 'Unauthorized')
    const allowed = role.rules.some(
      rule =>
        rule.apiGroups.includes(group) && rule.resources.includes(resource) && rule.verbs.includes(verb),
    )
    if (allowed) return
    const message = `${resource} is forbidden: User "workly" cannot ${verb} resource "${resource}" in API group "${group}"`
    throw new Refusal(403, 'Forbidden', message)
  }
}
