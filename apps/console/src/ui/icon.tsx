import type { ReactNode } from 'react'

/** Line icons on a grid of 16; they say nothing to screen readers, the text beside them does. */
const SHAPES = {
  check: <path d="m3.5 8.5 3 3 6-7" />,
  cross: <path d="m4.5 4.5 7 7m0-7-7 7" />,
  clock: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M8 4.75V8l2.25 1.5" />
    </>
  ),
  turning: <path d="M13.5 8A5.5 5.5 0 1 1 8 2.5" />,
  skip: <path d="m4 4.5 4.5 3.5L4 11.5zM12 4.5v7" />,
  stop: <path d="M4.5 4.5h7v7h-7z" />,
  play: <path d="M5.25 3.5v9l7-4.5z" />,
  resume: <path d="M4 3.75v8.5M7 4l5.75 4L7 12z" />,
  pause: <path d="M5.5 3.5v9m5-9v9" />,
  retry: <path d="M13 8a5 5 0 1 1-1.6-3.66M13 2.5V5h-2.5" />,
  edit: <path d="M3 13h2.25l7.5-7.5-2.25-2.25L3 10.75zM9 4.75 11.25 7" />,
  trash: <path d="M3 4.5h10M6.5 4.5v-2h3v2m-5 0 .5 9h6l.5-9M6.75 7v4m2.5-4v4" />,
  plus: <path d="M8 3.25v9.5M3.25 8h9.5" />,
  search: (
    <>
      <circle cx="7" cy="7" r="4.25" />
      <path d="m10.25 10.25 3.25 3.25" />
    </>
  ),
  copy: (
    <>
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
      <path d="M10.5 5.5V4A1.5 1.5 0 0 0 9 2.5H4A1.5 1.5 0 0 0 2.5 4v5A1.5 1.5 0 0 0 4 10.5h1.5" />
    </>
  ),
  chevron: <path d="m4.5 6.25 3.5 3.5 3.5-3.5" />,
  up: <path d="M8 12.5v-9m-3.75 3.75L8 3.5l3.75 3.75" />,
  down: <path d="M8 3.5v9m-3.75-3.75L8 12.5l3.75-3.75" />,
  back: <path d="M9.75 4 6 8l3.75 4" />,
  upDown: <path d="m5 6 3-3 3 3m-6 4 3 3 3-3" />,
  warning: <path d="M8 2.75 14 13H2zM8 6.5v3m0 1.75v.01" />,
  info: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M8 7.25v3.5m0-5.75v.01" />
    </>
  ),
  sun: (
    <>
      <circle cx="8" cy="8" r="2.75" />
      <path d="M8 1.5V3m0 10v1.5M1.5 8H3m10 0h1.5M3.4 3.4l1.06 1.06m7.08 7.08 1.06 1.06m0-9.2-1.06 1.06M4.46 11.54 3.4 12.6" />
    </>
  ),
  moon: <path d="M13.25 9.5A5.75 5.75 0 0 1 6.5 2.75a5.75 5.75 0 1 0 6.75 6.75z" />,
  screen: <path d="M2.5 3.5h11v7h-11zM6 13.5h4m-2-3v3" />,
  jobs: (
    <>
      <rect x="2.5" y="3.5" width="11" height="10" rx="1.5" />
      <path d="M2.5 6.75h11M5.5 2v2.5m5-2.5v2.5" />
    </>
  ),
  runs: <path d="M2.5 4.25h2m3 0h6m-11 3.75h2m3 0h6m-11 3.75h2m3 0h6" />,
  globe: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M2.25 8h11.5M8 2.25c2 1.75 2.5 3.75 2.5 5.75S10 12 8 13.75C6 12 5.5 10 5.5 8S6 4 8 2.25" />
    </>
  ),
  box: <path d="M8 2 13.25 5v6L8 14l-5.25-3V5zM2.75 5 8 8m0 0 5.25-3M8 8v6" />,
  steps: (
    <>
      <rect x="2" y="2.5" width="5" height="3.5" rx="1" />
      <rect x="9" y="10" width="5" height="3.5" rx="1" />
      <path d="M4.5 6v5.75H9" />
    </>
  ),
  key: (
    <>
      <circle cx="5.25" cy="10.75" r="2.75" />
      <path d="m7.25 8.75 5.5-5.5M10.5 5.5l2 2" />
    </>
  ),
  pen: <path d="M2.5 13.5h11M3.5 10.5 10.75 3.25l2 2L5.5 12.5l-2.5.5z" />,
  people: (
    <>
      <circle cx="6" cy="5.75" r="2.25" />
      <path d="M1.75 13a4.25 4.25 0 0 1 8.5 0M10.5 3.75a2.25 2.25 0 0 1 0 4M11.75 9.25A4.25 4.25 0 0 1 14.25 13" />
    </>
  ),
  book: <path d="M3.5 2.5h9v11h-9zM6 5.5h4M6 8h4M6 10.5h2.5" />,
  sliders: <path d="M2.5 5h6m3 0h2m-11 6h2m3 0h6M8.5 3.25v3.5h3v-3.5zM4.5 9.25v3.5h3v-3.5z" />,
  user: (
    <>
      <circle cx="8" cy="5.5" r="2.75" />
      <path d="M2.75 13.5a5.25 5.25 0 0 1 10.5 0" />
    </>
  ),
  signOut: <path d="M6.5 2.5H4A1.5 1.5 0 0 0 2.5 4v8A1.5 1.5 0 0 0 4 13.5h2.5M10 5l3 3-3 3m3-3H6" />,
} satisfies Record<string, ReactNode>

export type IconName = keyof typeof SHAPES

export function Icon({ name, className = 'size-4' }: { name: IconName; className?: string }) {
  return (
    <svg
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className={`shrink-0 ${className}`}
    >
      {SHAPES[name]}
    </svg>
  )
}
