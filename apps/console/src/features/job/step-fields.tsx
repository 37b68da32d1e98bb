'use client'

import { FEWEST_STEPS, MOST_STEPS } from '@workly/core'
import { useEffect, useRef, useState } from 'react'
import { Button } from '#ui/button.tsx'
import { FieldError } from '#ui/field-error.tsx'
import { errorAt, errorOf, pathsOf } from './draft-issues.ts'
import { emptyStep, type StepDraft } from './job-draft.ts'
import type { PartProps } from './job-form.tsx'
import { StepEditor } from './step-editor.tsx'

/** The steps of a pipeline in their order: each can be opened, moved and removed, by keyboard too. */
export function StepFields(props: PartProps & { storedName: string | null }) {
  const { draft, errors, edit, onIssues, storedName } = props
  const { steps } = draft
  const [openKeys, setOpenKeys] = useState<ReadonlySet<string>>(
    () => new Set(steps.slice(0, 1).map(s => s.key)),
  )
  const [said, setSaid] = useState('')
  const made = useRef(0)
  const list = useRef<HTMLOListElement>(null)
  const focusOn = useRef<string | null>(null)

  // A button that was moved with its step, or removed with it, must not lose the reader's place.
  useEffect(() => {
    if (focusOn.current === null || steps.length === 0) return
    list.current?.querySelector<HTMLElement>(`[data-focus="${focusOn.current}"]`)?.focus()
    focusOn.current = null
  }, [steps])

  /** Other places for the steps: what was said of them by their numbers is out of date. */
  function arrange(next: StepDraft[]) {
    edit({ steps: next }, ['steps'])
  }

  function move(index: number, by: -1 | 1) {
    const step = steps[index]
    if (!step || index + by < 0 || index + by >= steps.length) return
    const others = steps.filter(other => other.key !== step.key)
    focusOn.current = `${step.key}-${by === -1 ? 'up' : 'down'}`
    setSaid(`${step.id || 'The step'} is now step ${index + by + 1} of ${steps.length}.`)
    arrange([...others.slice(0, index + by), step, ...others.slice(index + by)])
  }

  function add() {
    do made.current += 1
    while (steps.some(step => step.key === `new-${made.current}`))
    const step = emptyStep(`new-${made.current}`)
    setOpenKeys(now => new Set([...now, step.key]))
    focusOn.current = `${step.key}-title`
    arrange([...steps, step])
  }

  function remove(index: number) {
    const neighbour = steps[index + 1] ?? steps[index - 1]
    focusOn.current = neighbour ? `${neighbour.key}-title` : null
    setSaid(`Step ${index + 1} is removed.`)
    arrange(steps.filter((_, i) => i !== index))
  }

  function toggle(key: string) {
    setOpenKeys(now => new Set(now.has(key) ? [...now].filter(k => k !== key) : [...now, key]))
  }

  return (
    <fieldset className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-3">
      <legend className="mb-1 text-[13px] font-medium">Steps</legend>
      <p className="text-[13px] text-muted">
        They run one after the other, {FEWEST_STEPS} to {MOST_STEPS} of them. A step that fails stops the run.
      </p>
      <FieldError id="steps-error" message={errorOf(errors, 'steps')} />
      <ol ref={list} className="grid grid-cols-[minmax(0,1fr)] gap-2">
        {steps.map((step, index) => {
          const place = `steps[${index}].`
          return (
            <StepEditor
              key={step.key}
              step={step}
              place={place}
              number={index + 1}
              count={steps.length}
              isOpen={openKeys.has(step.key) || errorAt(errors, `steps[${index}]`) !== undefined}
              errors={errors}
              storedName={storedName}
              onIssues={onIssues}
              onToggle={() => toggle(step.key)}
              onMove={by => move(index, by)}
              onRemove={() => remove(index)}
              onChange={(part, paths) =>
                edit(
                  { steps: steps.map(other => (other.key === step.key ? { ...other, ...part } : other)) },
                  paths ?? pathsOf(place, part),
                )
              }
            />
          )
        })}
      </ol>
      <div>
        <Button
          icon="plus"
          reason={steps.length >= MOST_STEPS ? `A pipeline has at most ${MOST_STEPS} steps.` : undefined}
          onClick={add}
        >
          Add step
        </Button>
      </div>
      <p role="status" className="sr-only">
        {said}
      </p>
    </fieldset>
  )
}
