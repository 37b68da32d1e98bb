'use client'

import { useMutation } from '@tanstack/react-query'
import type { FieldIssue } from '@workly/core'
import { signIn } from 'next-auth/react'
import { type FormEvent, useState } from 'react'
import { problemWords } from '#features/job/use-job-actions.ts'
import { useTRPC } from '#trpc/client.tsx'
import { publicErrorOf } from '#trpc/query-client.ts'
import { Button } from '#ui/button.tsx'
import { Notice } from '#ui/notice.tsx'
import { TextField } from '#ui/text-field.tsx'

/** Makes the account that an invitation was sent to, joins, and signs in. */
export function RegisterForm({ token, email }: { token: string; email: string }) {
  const trpc = useTRPC()
  const register = useMutation(trpc.invitation.register.mutationOptions())
  const [problem, setProblem] = useState<string | null>(null)
  const [issues, setIssues] = useState<readonly FieldIssue[]>([])
  const [isBusy, setBusy] = useState(false)
  const wrong = (field: string) => issues.find(issue => issue.field === field)?.message

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (isBusy) return
    const form = new FormData(event.currentTarget)
    const [name, password] = [String(form.get('name')).trim(), String(form.get('password'))]
    setBusy(true)
    setProblem(null)
    setIssues([])
    try {
      const { slug } = await register.mutateAsync({ token, name, password })
      const answer = await signIn('credentials', { email, password, redirect: false })
      return window.location.assign(answer?.error ? '/sign-in' : `/${slug}`)
    } catch (error) {
      const found = publicErrorOf(error)?.issues ?? []
      if (found.length > 0) setIssues(found)
      else setProblem(problemWords(error))
    }
    setBusy(false)
  }

  return (
    <form onSubmit={submit} method="post" noValidate className="grid gap-4">
      {problem && (
        <Notice tone="bad" alert>
          {problem}
        </Notice>
      )}
      <TextField
        id="email"
        label="E-mail address"
        value={email}
        type="email"
        autoComplete="username"
        readOnly
      />
      <TextField id="name" name="name" label="Your name" autoComplete="name" error={wrong('name')} />
      <TextField
        id="password"
        name="password"
        label="New password"
        type="password"
        autoComplete="new-password"
        hint="At least 10 characters."
        error={wrong('password')}
      />
      <Button type="submit" variant="primary" busy={isBusy} wide>
        Make account and join
      </Button>
    </form>
  )
}
