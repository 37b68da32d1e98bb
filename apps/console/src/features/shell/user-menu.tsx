'use client'

import { SignOutButton, SignOutEverywhereButton } from '#features/session/sign-out-button.tsx'
import { Icon } from '#ui/icon.tsx'
import { Menu } from '#ui/menu.tsx'
import type { Theme } from '#ui/preference-cookies.ts'
import { ThemeToggle } from '#ui/theme-toggle.tsx'

interface UserMenuProps {
  email: string
  name: string | null
  role: string
  theme: Theme
}

export function UserMenu({ email, name, role, theme }: UserMenuProps) {
  return (
    <Menu
      align="end"
      side="auto"
      buttonClassName="control flex w-full items-center gap-2 rounded-control p-1.5 text-left text-[13px] hover:bg-sunken"
      button={
        <>
          <span
            aria-hidden="true"
            className="grid size-7 shrink-0 place-items-center rounded-full bg-sunken text-muted md:size-6"
          >
            <Icon name="user" />
          </span>
          <span className="sr-only min-w-0 flex-1 truncate md:not-sr-only">
            <span className="sr-only">Your account: </span>
            {name ?? email}
          </span>
          <Icon name="upDown" className="hidden size-4 text-muted md:block" />
        </>
      }
    >
      <div className="px-2 py-1.5 text-[13px]">
        {name && <p className="truncate font-medium">{name}</p>}
        <p className="truncate text-muted">{email}</p>
        <p className="text-muted">Role: {role}</p>
      </div>
      <div className="flex items-center justify-between gap-4 border-t border-line px-2 py-2 text-[13px]">
        <span aria-hidden="true">Theme</span>
        <ThemeToggle initial={theme} />
      </div>
      <div className="grid justify-items-start border-t border-line pt-1.5">
        <SignOutButton />
        <SignOutEverywhereButton />
      </div>
    </Menu>
  )
}
