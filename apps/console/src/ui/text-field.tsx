import type { ComponentProps, ReactNode } from 'react'
import { describedBy, Field, TextInput } from './field.tsx'

interface TextFieldProps extends Omit<ComponentProps<'input'>, 'id'> {
  id: string
  label: string
  hint?: ReactNode
  error?: string | undefined
}

/** A line of text with its label, its hint and what is wrong with it. */
export function TextField({ id, label, hint, error, ...rest }: TextFieldProps) {
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      <TextInput
        id={id}
        autoComplete="off"
        spellCheck={false}
        {...rest}
        aria-invalid={error !== undefined}
        aria-describedby={describedBy(id, error, hint !== undefined)}
      />
    </Field>
  )
}
