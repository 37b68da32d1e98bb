import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

type Tone = 'info' | 'warn' | 'bad' | 'good'

const TONES: Record<Tone, { box: string; icon: IconName }> = {
  info: { box: 'bg-busy-soft text-busy', icon: 'info' },
  warn: { box: 'bg-warn-soft text-warn', icon: 'warning' },
  bad: { box: 'bg-bad-soft text-bad', icon: 'warning' },
  good: { box: 'bg-good-soft text-good', icon: 'check' },
}

interface NoticeProps {
  tone: Tone
  title?: string
  /** Tells screen readers at once; for what has just gone wrong. */
  alert?: boolean
  children?: ReactNode
}

export function Notice({ tone, title, alert = false, children }: NoticeProps) {
  const { box, icon } = TONES[tone]
  return (
    <div role={alert ? 'alert' : undefined} className={`flex gap-2.5 rounded-control px-3 py-2 ${box}`}>
      <Icon name={icon} className="mt-0.5 size-4" />
      <div className="min-w-0 text-[13px] text-ink">
        {title && <p className="font-medium">{title}</p>}
        {children}
      </div>
    </div>
  )
}
