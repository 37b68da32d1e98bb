import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

type Tone = 'plain' | 'good' | 'warn' | 'busy'

const TONES: Record<Tone, string> = {
  plain: 'bg-sunken text-muted',
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  busy: 'bg-busy-soft text-busy',
}

export function Badge({
  tone = 'plain',
  icon,
  children,
}: {
  tone?: Tone
  icon?: IconName
  children: ReactNode
}) {
  return (
    <span
      className={`inline-flex h-5 items-center gap-1 rounded-full px-2 text-xs font-medium whitespace-nowrap ${TONES[tone]}`}
    >
      {icon && <Icon name={icon} className="size-3" />}
      {children}
    </span>
  )
}
