import { Icon } from './icon.tsx'

/** What is wrong with a group of fields, or a row; its id is for the `aria-describedby` of the controls. */
export function FieldError({ id, message }: { id: string; message: string | undefined }) {
  if (message === undefined) return null
  return (
    <p id={id} className="flex gap-1.5 text-[13px] text-bad">
      <Icon name="warning" className="mt-0.5 size-4" />
      <span className="block min-w-0 [overflow-wrap:anywhere] first-letter:uppercase">{message}</span>
    </p>
  )
}
