/** The part of a JSON Schema that the document has, as it is walked. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  required?: string[]
  description?: string
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  default?: unknown
}

/** The name of the component that a reference points at. */
export function refName(schema: Schema): string | undefined {
  return schema.$ref?.split('/').at(-1)
}

/** A schema in a few words: `string or null`, `list of Attempt`, `{"secret": string}`. */
export function typeText(schema: Schema): string {
  const name = refName(schema)
  if (name) return name
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map(value => JSON.stringify(value)).join(' or ')
  if (schema.oneOf) return schema.oneOf.map(typeText).join(' or ')
  if (schema.anyOf) return schema.anyOf.map(typeText).join(' or ')
  if (schema.allOf) return schema.allOf.map(typeText).join(' and ')
  const types = [schema.type ?? 'any JSON'].flat()
  return types.map(type => plainType(type, schema)).join(' or ')
}

function plainType(type: string, schema: Schema): string {
  if (type === 'array') return `list of ${schema.items ? typeText(schema.items) : 'any JSON'}`
  if (type === 'string' && schema.format === 'date-time') return 'instant'
  if (type !== 'object') return type
  if (schema.properties) {
    const fields = Object.entries(schema.properties).map(([name, field]) => `"${name}": ${typeText(field)}`)
    return `{${fields.join(', ')}}`
  }
  const values = schema.additionalProperties
  return typeof values === 'object' ? `object of ${typeText(values)}` : 'object'
}

/** What a value may be beyond its type: `1 to 50`, `at most 2048 characters`. */
export function boundsText(schema: Schema): string {
  const { minimum, maximum, maxLength, maxItems } = schema.anyOf?.[0] ?? schema
  const bounds: string[] = []
  if (minimum !== undefined && maximum !== undefined) bounds.push(`${minimum} to ${maximum}`)
  if (maxLength !== undefined) bounds.push(`at most ${maxLength} characters`)
  if (maxItems !== undefined) bounds.push(`at most ${maxItems}`)
  return bounds.join(', ')
}
