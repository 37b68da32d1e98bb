'use client'

import { signOut } from 'next-auth/react'
import { useState } from 'react'
import { Button } from '#ui/button.tsx'

export function SignOutButton() {
  const [isBusy, setBusy] = useState(false)
  return (
    <Button
      variant="quiet"
      icon="signOut"
      busy={isBusy}
      onClick={() => {
        setBusy(true)
        // A whole new page: nothing of the session stays in memory.
        signOut({ redirect: false })
          .then(() => window.location.assign('/sign-in'))
          .catch(() => setBusy(false))
      }}
    >
      Sign out
    </Button>
  )
}
