'use client'

import { formatDuration, formatElapsed } from '#time/duration.ts'
import type { ShownRun } from '#trpc/router.ts'
import { Card } from '#ui/card.tsx'
import { useNow } from '#ui/clock.tsx'
import { Icon, type IconName } from '#ui/icon.tsx'
import { Cell, Head, Table } from '#ui/table.tsx'
import { stepSpans } from './step-spans.ts'

type Step = ShownRun['steps'][number]

const MARKS: Record<Step['state'], { word: string; icon: IconName; colour: string; bar: string }> = {
  pending: { word: 'Pending', icon: 'clock', colour: 'text-muted', bar: 'fill-idle' },
  running: { word: 'Running', icon: 'turning', colour: 'text-busy', bar: 'fill-busy' },
  succeeded: { word: 'Succeeded', icon: 'check', colour: 'text-good', bar: 'fill-good' },
  failed: { word: 'Failed', icon: 'cross', colour: 'text-bad', bar: 'fill-bad' },
  cancelled: { word: 'Cancelled', icon: 'stop', colour: 'text-muted', bar: 'fill-idle' },
  not_run: { word: 'Not run', icon: 'skip', colour: 'text-muted', bar: 'fill-idle' },
}

/** A pipeline's steps in their order, each where it lay within the whole. */
export function StepList({ steps }: { steps: Step[] }) {
  const now = useNow()
  const spans = stepSpans(steps, now)
  return (
    <Card title="Steps" flush>
      <Table caption="Steps of the pipeline" head={<StepHeads />}>
        {steps.map((step, index) => {
          const mark = MARKS[step.state]
          const span = spans[index]
          return (
            <tr key={step.id} className="h-11">
              <Cell className="font-medium">{step.id}</Cell>
              <Cell>
                <span
                  className={`inline-flex items-center gap-1.5 align-middle font-medium whitespace-nowrap ${mark.colour}`}
                >
                  <Icon name={mark.icon} className={`size-4 ${step.state === 'running' ? 'turning' : ''}`} />
                  {mark.word}
                </span>
              </Cell>
              <Cell className="w-full max-sm:hidden">
                <svg
                  viewBox="0 0 1000 8"
                  preserveAspectRatio="none"
                  className="block h-2 w-full"
                  aria-hidden="true"
                >
                  <rect width="1000" height="8" className="fill-sunken" />
                  {span && (
                    <rect
                      x={span.from * 1000}
                      width={Math.max(6, span.share * 1000)}
                      height="8"
                      className={mark.bar}
                    />
                  )}
                </svg>
              </Cell>
              <Cell className="tnum text-right whitespace-nowrap">
                {span ? (step.finished_at ? formatDuration(span.ms) : formatElapsed(span.ms)) : '–'}
              </Cell>
            </tr>
          )
        })}
      </Table>
      <StepReports steps={steps} />
    </Card>
  )
}

function StepHeads() {
  return (
    <>
      <Head>Step</Head>
      <Head className="min-w-32">State</Head>
      <Head className="max-sm:hidden">
        <span className="sr-only">Where it lay within the run</span>
      </Head>
      <Head className="min-w-24 text-right">Duration</Head>
    </>
  )
}

/** What steps said or why they failed, where there is something to tell. */
function StepReports({ steps }: { steps: Step[] }) {
  const telling = steps.filter(step => step.error !== null || step.result !== null)
  if (telling.length === 0) return null
  return (
    <ul className="grid gap-1 border-t border-line px-4 py-2.5 text-[13px]">
      {telling.map(step => (
        <li key={step.id} className="[overflow-wrap:anywhere]">
          <span className="font-medium">{step.id}:</span>{' '}
          {step.error?.message ?? [step.result, step.description].filter(Boolean).join(', ')}
        </li>
      ))}
    </ul>
  )
}
