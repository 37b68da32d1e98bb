'use client'

import { useState } from 'react'
import { Icon, type IconName } from './icon.tsx'
import { rememberTheme, THEMES, type Theme } from './preference-cookies.ts'

const CHOICES: Record<Theme, { label: string; icon: IconName }> = {
  system: { label: 'System', icon: 'screen' },
  light: { label: 'Light', icon: 'sun' },
  dark: { label: 'Dark', icon: 'moon' },
}

/** Light, dark, or as the system is. The server knows the choice by a cookie, so that the next page comes in it. */
export function ThemeToggle({ initial }: { initial: Theme }) {
  const [theme, setTheme] = useState(initial)

  function choose(next: Theme) {
    setTheme(next)
    rememberTheme(next)
    if (next === 'system') document.documentElement.removeAttribute('data-theme')
    else document.documentElement.dataset.theme = next
  }

  return (
    <fieldset className="inline-flex rounded-control border border-line p-0.5">
      <legend className="sr-only">Theme</legend>
      {THEMES.map(choice => (
        <label
          key={choice}
          title={CHOICES[choice].label}
          className="grid size-7 cursor-pointer place-items-center rounded-[4px] text-muted has-checked:bg-sunken has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:outline-accent pointer-coarse:size-9"
        >
          <input
            type="radio"
            name="theme"
            value={choice}
            checked={theme === choice}
            onChange={() => choose(choice)}
            className="sr-only"
          />
          <Icon name={CHOICES[choice].icon} />
          <span className="sr-only">{CHOICES[choice].label}</span>
        </label>
      ))}
    </fieldset>
  )
}
