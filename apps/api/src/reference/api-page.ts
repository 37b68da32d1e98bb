import { type Html, html, prose } from './html.ts'
import { type LinkGroup, layout } from './layout.ts'
import { schemaTable } from './schema-table.ts'
import { refName, type Schema, typeText } from './schema-text.ts'

interface Media {
  schema?: Schema
  example?: unknown
  /** In place of one. */
  examples?: Record<string, { summary: string; value: unknown }>
}

interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: string
  schema?: Schema
}

interface DocumentedCall {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, Media> }
  /** Errors stand as references to components. */
  responses: Record<string, DocumentedAnswer | { $ref: string }>
}

interface DocumentedAnswer {
  description: string
  content?: Record<string, Media>
}

/** What the page reads of an OpenAPI document. */
export interface ReferenceDocument {
  info: { title: string; version: string; description?: string }
  tags: { name: string; description?: string }[]
  paths: Record<string, Record<string, DocumentedCall>>
  components: { schemas: Record<string, Schema>; responses: Record<string, DocumentedAnswer> }
}

interface Listed extends Omit<DocumentedCall, 'responses'> {
  method: string
  path: string
  /** By status, references followed. */
  answers: [number, DocumentedAnswer][]
}

/** The reference of the whole API as one page without scripts. */
export function apiPage(document: ReferenceDocument): string {
  const { info, tags, components } = document
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, documented]): Listed => ({
        ...documented,
        method,
        path,
        answers: Object.entries(documented.responses).map(([status, answer]) => [
          Number(status),
          followed(answer, components.responses),
        ]),
      }),
    ),
  )
  const sections = tags.map(tag => {
    const own = calls.filter(call => call.tags.includes(tag.name))
    return html`<section><h2 id="${tag.name}">${tag.name}</h2><p>${prose(tag.description ?? '')}</p>${own.map(call)}</section>`
  })
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => html`<h3 id="${name}">${name}</h3><p>${prose(schema.description ?? '')}</p>
${schemaTable(schema, components.schemas)}`,
  )
  const main = html`<h1>${info.title} API</h1><p class="soft">Version ${info.version}</p>
<p>${prose(info.description ?? '')}</p>${sections}<section><h2 id="Schemas">Schemas</h2>${schemas}</section>`
  return layout('API reference', links(tags, calls, Object.keys(components.schemas)), main)
}

function followed(
  answer: DocumentedAnswer | { $ref: string },
  all: Record<string, DocumentedAnswer>,
): DocumentedAnswer {
  if (!('$ref' in answer)) return answer
  const found = all[answer.$ref.split('/').at(-1) ?? '']
  if (!found) throw new Error(`the document has no ${answer.$ref}`)
  return found
}

function links(tags: ReferenceDocument['tags'], calls: Listed[], schemas: string[]): LinkGroup[] {
  const groups = tags.map(tag => ({
    title: tag.name,
    links: calls
      .filter(call => call.tags.includes(tag.name))
      .map(call => ({ href: `#${call.operationId}`, text: call.summary })),
  }))
  return [...groups, { title: 'Schemas', links: schemas.map(name => ({ href: `#${name}`, text: name })) }]
}

function call(listed: Listed): Html {
  const { method, path, operationId, summary, description, parameters = [], requestBody, answers } = listed
  const problems = answers.filter(([status]) => status >= 400)
  return html`<h3 id="${operationId}">${summary}</h3>
<p class="call"><span class="${method}">${method.toUpperCase()}</span> ${path}</p>
<p>${prose(description ?? '')}</p>
${parameters.length > 0 && parameterTable(parameters)}
${requestBody && html`<h4>Body</h4>${media(requestBody.content)}`}
${answers.filter(([status]) => status < 400).map(([status, answer]) => answerHtml(status, answer))}
<details><summary>Errors</summary><div class="scroll"><table><tbody>${problems.map(
    ([status, { description: text }]) => html`<tr><td>${status}</td><td>${prose(text)}</td></tr>`,
  )}</tbody></table></div></details>`
}

function answerHtml(status: number, answer: DocumentedAnswer): Html {
  return html`<h4>Answer ${status}</h4><p>${prose(answer.description)}</p>${answer.content && media(answer.content)}`
}

function parameterTable(parameters: Parameter[]): Html {
  return html`<h4>Parameters</h4><div class="scroll"><table>
<thead><tr><th scope="col">Name</th><th scope="col">Where</th><th scope="col">Type</th><th scope="col">What it is</th></tr></thead>
<tbody>${parameters.map(
    p => html`<tr><td><code>${p.name}</code></td><td>${p.in}</td><td>${typeText(p.schema ?? {})}</td>
<td>${prose(p.description ?? '')}</td></tr>`,
  )}</tbody></table></div>`
}

function media(content: Record<string, Media>): Html {
  return html`${Object.values(content).map(({ schema, example, examples }) => {
    const name = schema && refName(schema.items ?? schema)
    const shown = examples
      ? Object.values(examples).map(({ summary, value }) =>
          exampleHtml(`Example: ${summary.toLowerCase()}`, value),
        )
      : [exampleHtml('Example', example)]
    return html`${name && html`<p>${schema.items && 'A list of '}<a href="#${name}">${name}</a></p>`}${shown}`
  })}`
}

function exampleHtml(title: string, value: unknown): Html {
  return html`
<details><summary>${title}</summary><pre tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre></details>`
}
