import type { DraftHttpRequest, DraftValues } from './read-request.ts'
import type { StoredImage } from './stored-request.ts'

/** An image as it was sent, secrets not yet stored. */
export interface DraftImage extends Omit<StoredImage, 'env'> {
  env: DraftValues
}

/** A request or an image as it was sent, secrets not yet stored. */
export type DraftTarget = DraftHttpRequest | DraftImage
