/** The variable that holds the URL a container reports its end to (spec section 3). */
export const CALLBACK_VARIABLE = 'callbackUri'

/** Longest name of an environment variable, and of the variables' names and values of one container together. */
export const MAX_VARIABLE_NAME_LENGTH = 256

/** Names that every shell and every version of Kubernetes takes. */
const VARIABLE = /^[A-Za-z_.-][A-Za-z0-9_.-]*$/
/** A DNS subdomain (RFC 1123 section 2.1), which Kubernetes asks of the names of Secrets and ConfigMaps. */
const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/

/**
 * Checks the name of an environment variable of a container: the names that all versions of Kubernetes take
 * (`IsEnvVarName`), and not the one that Workly sets itself.
 * @returns what is allowed, or null when the name is good
 */
export function checkVariableName(name: string): string | null {
  if (name === CALLBACK_VARIABLE) return `"${CALLBACK_VARIABLE}" is set by Workly; use another name.`
  if (name.length > MAX_VARIABLE_NAME_LENGTH) {
    return `The name has ${name.length} characters; at most ${MAX_VARIABLE_NAME_LENGTH} are allowed.`
  }
  if (VARIABLE.test(name) && name !== '.' && !name.startsWith('..')) return null
  return 'A variable\'s name has letters, digits, "_", "-" and ".", and does not begin with a digit or "..".'
}

/**
 * Checks the prefix that `env_from` puts before each key; an empty one is none.
 * @returns what is allowed, or null when the prefix is good
 */
export function checkVariablePrefix(prefix: string): string | null {
  return prefix === '' ? null : checkVariableName(prefix)
}

/**
 * Checks the name of a secret or config map that a container takes its environment from. The same names hold under
 * Docker, where they are folders: so none leads out of the organization's own.
 * @returns what is allowed, or null when the name is good
 */
export function checkConfigName(name: string): string | null {
  if (name.length <= 253 && name.split('.').every(label => LABEL.test(label))) return null
  return 'A name of a secret or config map has 1 to 253 lower-case letters, digits, "-" and ".", and each part between dots begins and ends with a letter or digit.'
}
