import type { KubeApi } from './api.ts'
import type { KubeList } from './objects.ts'

const PAGE = 500

/**
 * All objects at a path with some labels, page by page.
 * @returns the objects and the version of the whole list, from which a watch goes on
 * @throws ApiAnswer 410 when the list changed too much between two pages, ExecutorError, the signal's reason
 */
export async function listPages<T>(
  api: KubeApi,
  path: string,
  labelSelector: string,
  signal: AbortSignal,
): Promise<{ items: T[]; version: string | undefined }> {
  const items: T[] = []
  let token: string | undefined
  for (;;) {
    const query = { labelSelector, limit: PAGE, continue: token }
    const page = await api.request<KubeList<T>>({ method: 'GET', path, query }, signal)
    items.push(...(page.items ?? []))
    token = page.metadata?.continue || undefined
    if (token === undefined) return { items, version: page.metadata?.resourceVersion }
  }
}
