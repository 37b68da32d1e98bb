import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { signedIn } from '#auth.ts'
import { composition } from '#compose.ts'
import { safeCallbackPath } from '#features/session/callback-url.ts'
import { SignInForm } from '#features/session/sign-in-form.tsx'
import { Logo } from '#features/shell/logo.tsx'
import { Notice } from '#ui/notice.tsx'

export const metadata: Metadata = { title: 'Sign in' }

interface PageProps {
  searchParams: Promise<Record<string, string | string[] | undefined>>
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}

export default async function SignInPage({ searchParams }: PageProps) {
  const query = await searchParams
  const callbackUrl = single(query.callbackUrl)
  if (await signedIn()) redirect(safeCallbackPath(callbackUrl))
  const { signInHint } = composition()
  return (
    <main className="mx-auto grid w-full max-w-[22rem] content-start gap-6 px-4 pt-[18vh] pb-12">
      <div className="grid gap-4">
        <Logo />
        <h1 className="text-xl font-semibold tracking-tight">Sign in</h1>
      </div>
      <SignInForm callbackUrl={callbackUrl} error={single(query.error)} />
      {signInHint && (
        <Notice tone="info" title="First time here?">
          <p>{signInHint}</p>
        </Notice>
      )}
    </main>
  )
}
