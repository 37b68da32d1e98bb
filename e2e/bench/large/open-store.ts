import { atEnd } from '../ending.ts'
import type { Size } from './fill.ts'
import { Store } from './store.ts'

let opened: Promise<Store> | undefined

/** One store for all benches that look into it, since filling it takes long; it is closed at the end of all. */
export function openStore(size: Size, kept: string | undefined): Promise<Store> {
  if (opened) return opened
  const opening = Store.open(size, kept)
  opened = opening
  atEnd(async () => {
    opened = undefined
    await opening.then(
      store => store.close(),
      () => undefined,
    )
  })
  return opening
}
