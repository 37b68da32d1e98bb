import { CopyButton } from './copy-button.tsx'

interface CodeProps {
  text: string
  /** What it is, for screen readers and the copy button: "response body". */
  label: string
  wrap?: boolean
}

/** A block of text as it is: scrolls within itself, reachable by keyboard, with a button to copy it. */
export function Code({ text, label, wrap = false }: CodeProps) {
  return (
    <div className="relative rounded-control border border-line bg-sunken">
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard (WCAG 2.1.1)
        tabIndex={0}
        aria-label={label}
        className="max-h-96 overflow-auto py-2.5 pr-12 pl-3"
      >
        <pre
          className={`font-mono text-[12.5px] leading-[1.55] ${wrap ? '[overflow-wrap:anywhere] whitespace-pre-wrap' : ''}`}
        >
          {text}
        </pre>
      </section>
      <div className="absolute top-1 right-1 rounded-control bg-sunken">
        <CopyButton text={text} label={`Copy ${label}`} />
      </div>
    </div>
  )
}
