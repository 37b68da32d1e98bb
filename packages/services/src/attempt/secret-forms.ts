/**
 * The forms in which a target may echo a secret value (spec section 8, masking): as it was given, in JSON, in HTML,
 * percent-encoded or in base64. Each form is one encoder's whole output: of a value whose characters are encoded by
 * halves (`%74oken`) nothing is known.
 */

/** A value of fewer bytes has no base64 of its own: it would be found in half of all texts. */
const SHORTEST_IN_BASE64 = 4
/** Of a value such as `Bearer <token>` a target shows the token alone. Shorter ones are words. */
const SHORTEST_CREDENTIAL = 8

/** How encoders of HTML write the two quotes; `&`, `<` and `>` they write alike. */
const HTML_QUOTES: readonly (readonly [double: string, single: string])[] = [
  ['"', "'"],
  ['&quot;', "'"],
  ['&quot;', '&#39;'],
  ['&quot;', '&#039;'],
  ['&quot;', '&#x27;'],
  ['&quot;', '&apos;'],
  ['&#34;', '&#39;'],
]

/** By the list they are of: one call asks for those of its secrets once for each header of the answer. */
const made = new WeakMap<readonly string[], Buffer[]>()

/** Every needle to look for, the longest first; none for an empty value. The list may not change afterwards. */
export function secretForms(secrets: readonly string[]): Buffer[] {
  const known = made.get(secrets)
  if (known) return known
  const forms = makeForms(secrets)
  made.set(secrets, forms)
  return forms
}

function makeForms(secrets: readonly string[]): Buffer[] {
  const needles = new Map<string, Buffer>()
  const add = (needle: Buffer) => needles.set(needle.toString('latin1'), needle)
  for (const secret of secrets.flatMap(withCredential)) {
    if (secret === '') continue
    const encoded = [Buffer.from(secret, 'utf8')]
    // As a header goes out, and as a target reads it.
    if (/^[\0-\xff]*$/.test(secret)) encoded.push(Buffer.from(secret, 'latin1'))
    for (const bytes of encoded) add(bytes)
    const texts = [secret, ...jsonForms(secret), ...percentForms(secret), ...htmlForms(secret)]
    for (const text of texts) add(Buffer.from(text, 'utf8'))
    for (const form of encoded.flatMap(base64Forms)) add(Buffer.from(form, 'latin1'))
  }
  return [...needles.values()].sort((a, b) => b.length - a.length)
}

function withCredential(secret: string): string[] {
  const credential = /^[A-Za-z][A-Za-z0-9-]* (\S+)$/.exec(secret)?.[1]
  return credential !== undefined && credential.length >= SHORTEST_CREDENTIAL
    ? [secret, credential]
    : [secret]
}

/** With slashes, signs of HTML and whatever is no ASCII as they are, or escaped: encoders differ in these. */
function jsonForms(secret: string): string[] {
  const unicode = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
  const plain = JSON.stringify(secret).slice(1, -1)
  const slashes = (text: string) => text.replaceAll('/', '\\/')
  const html = (text: string) => text.replace(/[<>&']/g, unicode)
  const ascii = (text: string) => text.replace(/[^\x20-\x7e]/g, unicode)
  return [plain, slashes(plain), html(plain), ascii(plain), ascii(slashes(plain)), ascii(html(plain))]
}

function percentForms(secret: string): string[] {
  const text = secret.toWellFormed()
  const component = encodeURIComponent(text)
  const strict = component.replace(/[!'()*]/g, char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
  const form = new URLSearchParams({ '': text }).toString().slice(1)
  const forms = [component, strict, form, encodeURI(text), strict.replaceAll('%2F', '/')]
  return [...forms, ...forms.map(f => f.replace(/%[0-9A-F]{2}/g, code => code.toLowerCase()))]
}

function htmlForms(secret: string): string[] {
  const signs = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return HTML_QUOTES.map(([double, single]) => signs.replaceAll('"', double).replaceAll("'", single))
}

/**
 * Base64, standard and of URLs, at each of the three places where the value can lie among the bytes before it, as in
 * that of `user:password`. Characters that also hold bits of a neighbour are not known, and are left out.
 */
function base64Forms(bytes: Buffer): string[] {
  if (bytes.length < SHORTEST_IN_BASE64) return []
  return [0, 1, 2].flatMap(before => {
    const bits = (before + bytes.length) * 8
    const whole = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    const known = whole.slice(Math.ceil((before * 8) / 6), Math.floor(bits / 6))
    const ofUrls = known.replaceAll('+', '-').replaceAll('/', '_')
    return [known, ofUrls, known.replaceAll('/', '\\/'), encodeURIComponent(known)]
  })
}
