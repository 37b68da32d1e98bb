/** Names of the cookies that hold how a reader likes the console: no secret, no identity. */
export const THEME_COOKIE = 'workly-theme'
export const ZONE_COOKIE = 'workly-zone'

export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

/** The theme a cookie names; anything else is the system's. */
export function readTheme(text: string | undefined): Theme {
  return THEMES.find(theme => theme === text) ?? 'system'
}

function remember(name: string, value: string): void {
  const secure = window.location.protocol === 'https:' ? '; Secure' : ''
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet
  document.cookie = `${name}=${encodeURIComponent(value)}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`
}

export function rememberTheme(theme: Theme): void {
  remember(THEME_COOKIE, theme)
}

export function rememberZone(zone: string): void {
  remember(ZONE_COOKIE, zone)
}
