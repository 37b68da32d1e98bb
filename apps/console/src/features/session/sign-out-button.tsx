'use client'

import { signOut } from 'next-auth/react'
import { useState } from 'react'
import { problemWords } from '#features/job/use-job-actions.ts'
import { useTRPCClient } from '#trpc/client.tsx'
import { useAnnounce } from '#ui/announcer.tsx'
import { Button } from '#ui/button.tsx'

export function SignOutButton() {
  return <LeaveButton words="Sign out" prepare={async () => undefined} />
}

/** Ends the session in every browser, for who has left one open elsewhere or fears that it is in other hands. */
export function SignOutEverywhereButton() {
  const calls = useTRPCClient()
  return <LeaveButton words="Sign out everywhere" prepare={() => calls.session.endAll.mutate()} />
}

function LeaveButton({ words, prepare }: { words: string; prepare: () => Promise<void> }) {
  const [isBusy, setBusy] = useState(false)
  const announce = useAnnounce()
  async function leave() {
    setBusy(true)
    try {
      await prepare()
      await signOut({ redirect: false })
      // A whole new page: nothing of the session stays in memory.
      window.location.assign('/sign-in')
    } catch (error) {
      announce('bad', problemWords(error))
      setBusy(false)
    }
  }
  return (
    <Button variant="quiet" icon="signOut" busy={isBusy} onClick={leave}>
      {words}
    </Button>
  )
}
