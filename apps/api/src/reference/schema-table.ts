import { type Html, html, prose } from './html.ts'
import { boundsText, refName, type Schema, typeText } from './schema-text.ts'

/** The fields of an object's schema as a table; those it has from others (`allOf`) stand with it. */
export function schemaTable(schema: Schema, all: Record<string, Schema>): Html {
  const fields = fieldsOf(schema, all)
  if (fields.length === 0) return html`<p class="soft">No fields.</p>`
  return html`<div class="scroll"><table>
<thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">What it is</th></tr></thead>
<tbody>${fields.map(([name, field]) => row(name, field))}</tbody>
</table></div>`
}

function fieldsOf(schema: Schema, all: Record<string, Schema>): [string, Schema][] {
  const parents = (schema.allOf ?? []).flatMap(part => {
    const name = refName(part)
    return fieldsOf((name ? all[name] : part) ?? {}, all)
  })
  return [...new Map([...parents, ...Object.entries(schema.properties ?? {})])]
}

function row(name: string, schema: Schema): Html {
  const item = schema.items ?? schema
  const component = refName(item)
  const type = typeText(schema)
  const bounds = boundsText(schema)
  return html`<tr><td><code>${name}</code></td>
<td>${component ? html`<a href="#${component}">${type}</a>` : type}${bounds && html`<br><span class="soft">${bounds}</span>`}</td>
<td>${prose(schema.description ?? '')}</td></tr>`
}
