'use client'

import { signIn } from 'next-auth/react'
import { type FormEvent, useRef, useState } from 'react'
import { Button } from '#ui/button.tsx'
import { Field, TextInput } from '#ui/field.tsx'
import { Notice } from '#ui/notice.tsx'
import { safeCallbackPath } from './callback-url.ts'

const MESSAGES = new Map(
  Object.entries({
    CredentialsSignin: 'This e-mail address and password do not fit together. Check both and try again.',
    TooManyTries:
      'Too many wrong passwords, for this address or from where you are. Wait a quarter of an hour, then try again.',
    Unavailable: 'Workly cannot reach its database just now. Try again in a moment.',
    Busy: 'Many people are signing in just now. Try again in a moment.',
  }),
)
const OTHER = 'Signing in did not work. Try again; if it stays so, ask who runs this Workly.'
const UNREACHABLE = 'The server cannot be reached. Check your connection and try again.'

interface SignInFormProps {
  callbackUrl: string | undefined
  /** An error that next-auth has put into the address. */
  error: string | undefined
}

export function SignInForm({ callbackUrl, error }: SignInFormProps) {
  const [problem, setProblem] = useState(error ? (MESSAGES.get(error) ?? OTHER) : null)
  const [isBusy, setBusy] = useState(false)
  const passwordRef = useRef<HTMLInputElement>(null)

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (isBusy) return
    const form = new FormData(event.currentTarget)
    setBusy(true)
    setProblem(null)
    try {
      const answer = await signIn('credentials', {
        email: String(form.get('email')),
        password: String(form.get('password')),
        redirect: false,
      })
      if (answer && !answer.error) return window.location.assign(safeCallbackPath(callbackUrl))
      setProblem(MESSAGES.get(answer?.error ?? '') ?? OTHER)
    } catch {
      setProblem(UNREACHABLE)
    }
    setBusy(false)
    passwordRef.current?.select()
  }

  return (
    <form onSubmit={submit} method="post" className="grid gap-4">
      {problem && (
        <Notice tone="bad" alert>
          <p>{problem}</p>
        </Notice>
      )}
      <Field id="email" label="E-mail address">
        <TextInput id="email" name="email" type="email" autoComplete="username" required className="h-10" />
      </Field>
      <Field id="password" label="Password">
        <TextInput
          id="password"
          ref={passwordRef}
          name="password"
          type="password"
          autoComplete="current-password"
          required
          className="h-10"
        />
      </Field>
      <Button type="submit" variant="primary" busy={isBusy} wide className="h-10">
        Sign in
      </Button>
    </form>
  )
}
