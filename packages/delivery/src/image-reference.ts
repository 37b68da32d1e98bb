import type { ImageSpec } from './image.ts'

/**
 * The full reference of an image in the operator's registry.
 * @param registry `WORKLY_IMAGE_REGISTRY`, such as `registry.example.com/team`; empty for the engine's default
 */
export function imageReference(registry: string, spec: Pick<ImageSpec, 'name' | 'tag'>): string {
  const prefix = registry.replace(/\/+$/, '')
  return `${prefix === '' ? '' : `${prefix}/`}${spec.name}:${spec.tag}`
}
