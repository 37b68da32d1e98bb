import type { Metadata, Viewport } from 'next'
import { cookies } from 'next/headers'
import type { ReactNode } from 'react'
import { isKnownZone } from '#time/instant.ts'
import { CallsProvider } from '#trpc/client.tsx'
import { Announcer } from '#ui/announcer.tsx'
import { ClockProvider } from '#ui/clock.tsx'
import { readTheme, THEME_COOKIE, ZONE_COOKIE } from '#ui/preference-cookies.ts'
import './globals.css'

export const metadata: Metadata = {
  title: { default: 'Workly', template: '%s · Workly' },
  description: 'Cron for HTTP endpoints: on time, signed, retried, every attempt recorded.',
  robots: { index: false, follow: false },
}

export const viewport: Viewport = {
  width: 'device-width',
  initialScale: 1,
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#fafafb' },
    { media: '(prefers-color-scheme: dark)', color: '#0b0c0f' },
  ],
}

export default async function RootLayout({ children }: { children: ReactNode }) {
  const jar = await cookies()
  const theme = readTheme(jar.get(THEME_COOKIE)?.value)
  const zone = decodeURIComponent(jar.get(ZONE_COOKIE)?.value ?? '')
  return (
    <html lang="en" data-theme={theme === 'system' ? undefined : theme}>
      <body>
        <ClockProvider serverNow={Date.now()} zone={isKnownZone(zone) ? zone : 'UTC'}>
          <CallsProvider>
            <Announcer>{children}</Announcer>
          </CallsProvider>
        </ClockProvider>
      </body>
    </html>
  )
}
