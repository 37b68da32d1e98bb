import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import packageJson from '../package.json' with { type: 'json' }
import { errorsMarkdown } from './error-guide.ts'
import { openApiDocument } from './openapi.ts'

/** The root of the repository. */
export const ROOT = new URL('../../../', import.meta.url)

/** What `docs/` holds of the API, by path from the root. */
export function generatedDocs(): Record<string, string> {
  const document = openApiDocument({ version: packageJson.version, publicUrl: 'http://localhost:7337' })
  return {
    'docs/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
    'docs/errors.md': errorsMarkdown(),
  }
}

// Not import.meta.main: Node 22 does not know it.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of Object.entries(generatedDocs())) await writeFile(new URL(path, ROOT), text)
}
