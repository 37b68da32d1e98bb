'use client'

import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

interface Message {
  id: number
  tone: 'good' | 'bad'
  text: string
}

type Announce = (tone: Message['tone'], text: string) => void
const AnnounceContext = createContext<Announce>(() => undefined)

/** Tells what came of an action: seen in the corner, heard by screen readers, never taking the focus. */
export function useAnnounce(): Announce {
  return useContext(AnnounceContext)
}

let lastId = 0

export function Announcer({ children }: { children: ReactNode }) {
  const [messages, setMessages] = useState<Message[]>([])
  const announce = useCallback<Announce>((tone, text) => {
    lastId += 1
    setMessages(shown => [...shown.slice(-2), { id: lastId, tone, text }])
  }, [])
  const dismiss = useCallback((id: number) => setMessages(shown => shown.filter(m => m.id !== id)), [])

  return (
    <AnnounceContext value={announce}>
      {children}
      <div
        role="status"
        aria-live="polite"
        aria-label="Messages"
        className="pointer-events-none fixed inset-x-4 bottom-4 z-50 grid justify-items-end gap-2 sm:left-auto"
      >
        {messages.map(message => (
          <MessageBox key={message.id} message={message} onDismiss={dismiss} />
        ))}
      </div>
    </AnnounceContext>
  )
}

/** Good news goes by itself; bad news stays until it is put away. */
function MessageBox({ message, onDismiss }: { message: Message; onDismiss: (id: number) => void }) {
  const { id, tone, text } = message
  useEffect(() => {
    if (tone === 'bad') return
    const timer = setTimeout(() => onDismiss(id), 6_000)
    return () => clearTimeout(timer)
  }, [id, tone, onDismiss])
  return (
    <div className="pointer-events-auto flex w-full max-w-sm items-start gap-2 rounded-card border border-line bg-surface py-1.5 pr-1.5 pl-3 text-[13px] shadow-lg">
      <Icon
        name={tone === 'good' ? 'check' : 'warning'}
        className={`mt-1.5 size-4 ${tone === 'good' ? 'text-good' : 'text-bad'}`}
      />
      <p className="min-w-0 flex-1 py-1 break-words">{text}</p>
      <Button variant="quiet" icon="cross" iconOnly onClick={() => onDismiss(id)}>
        Dismiss
      </Button>
    </div>
  )
}
