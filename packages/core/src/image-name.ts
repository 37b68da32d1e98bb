/** Longest image name in characters, so that a registry's own name before it still fits the 255 of a reference. */
export const MAX_IMAGE_NAME_LENGTH = 180

/** What is wrong with an image, in the words of the offending field; null when nothing is. */
export type ImageNameProblem = { field: 'name' | 'tag'; message: string } | null

/** A path component and a tag as the OCI distribution specification (1.1, "Pulling manifests") has them. */
const COMPONENT = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/
const TAG = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/

/** Docker's reference grammar reads what is before the first slash as a host when it looks like one. */
function namesHost(name: string): boolean {
  const slash = name.indexOf('/')
  if (slash === -1) return false
  const first = name.slice(0, slash)
  return first.includes('.') || first.includes(':') || first.toLowerCase() === 'localhost'
}

function nameProblem(name: string): string | null {
  if (name === '') return 'The image needs a name such as team/report.'
  if (name.includes('://')) return 'An image name is no URL; write it such as team/report.'
  if (namesHost(name)) {
    return `"${name.slice(0, name.indexOf('/'))}" names a registry; images come from the operator's registry only, so write the name without a host, such as team/report.`
  }
  if (name.includes('@')) return 'Images are named by name and tag, not by a digest.'
  if (name.includes(':')) return 'Give the tag in "tag", not in the name.'
  if (name.length > MAX_IMAGE_NAME_LENGTH) {
    return `The image name has ${name.length} characters; at most ${MAX_IMAGE_NAME_LENGTH} are allowed.`
  }
  const bad = name.split('/').find(component => !COMPONENT.test(component))
  if (bad === undefined) return null
  if (bad === '') return 'An image name neither begins nor ends with a slash, nor has two in a row.'
  return `"${bad}" is no part of an image name; each part between slashes is lower-case letters and digits, which ".", "_", "__" or "-" may separate.`
}

/**
 * Checks the name and tag of an image (spec section 3): a path in the operator's registry, so a name that names a host
 * is refused, as are digests and tags inside the name. The grammar is that of OCI distribution 1.1.
 * @returns the first offending field and what is allowed; null when both are good
 */
export function checkImageName(name: string, tag: string): ImageNameProblem {
  const message = nameProblem(name)
  return message === null ? checkImageTag(tag) : { field: 'name', message }
}

/**
 * Checks the tag of an image alone.
 * @returns what is allowed; null when it is good
 */
export function checkImageTag(tag: string): ImageNameProblem {
  if (TAG.test(tag)) return null
  return {
    field: 'tag',
    message:
      tag === ''
        ? 'The image needs a tag such as 1.4.0 or latest.'
        : 'A tag has 1 to 128 letters, digits, "_", "." and "-", and begins with none of the last two.',
  }
}
