/** One line of what the bench prints: a figure beside what it must be and what is aimed at. */
export interface Figure {
  bench: string
  figure: string
  /** null: it could not be measured, and `note` says why. */
  value: number | string | null
  unit: string
  /** `≤`, `≥` or `=` and a number; none where it is only told. */
  must?: string
  aim?: string
  note?: string
}

/** A figure with its verdicts; null where nothing is held against anything. */
export interface JudgedFigure extends Figure {
  pass: boolean | null
  aim_reached: boolean | null
}

export function judge(figure: Figure): JudgedFigure {
  return {
    ...figure,
    pass: isWithin(figure.value, figure.must),
    aim_reached: isWithin(figure.value, figure.aim),
  }
}

/** Whether the value is within the bound; null where nothing is held against anything. */
export function isWithin(value: Figure['value'], bound: string | undefined): boolean | null {
  const found = /^([≤≥=]) ([\d.]+)$/.exec(bound ?? '')
  if (!found || typeof value !== 'number') return null
  const limit = Number(found[2])
  if (found[1] === '≤') return value <= limit
  return found[1] === '≥' ? value >= limit : value === limit
}
