export const metadata = { title: 'Sign in' }
export const dynamic = 'force-dynamic'

export default function SignInPage() {
  return <h1 className="text-lg">Sign in</h1>
}
