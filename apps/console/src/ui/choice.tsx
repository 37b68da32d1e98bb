interface ChoiceProps<Value extends string> {
  /** Tells the group from others on the page. */
  name: string
  legend: string
  value: Value
  options: readonly { value: Value; words: string }[]
  onChange: (value: Value) => void
}

/** One of a few, all of them in sight. */
export function Choice<Value extends string>({ name, legend, value, options, onChange }: ChoiceProps<Value>) {
  return (
    <fieldset className="flex flex-wrap gap-x-5 gap-y-1">
      <legend className="mb-1 text-[13px] font-medium">{legend}</legend>
      {options.map(option => (
        <label key={option.value} className="control flex items-center gap-2">
          <input
            type="radio"
            name={name}
            checked={value === option.value}
            onChange={() => onChange(option.value)}
            className="size-4 accent-accent"
          />
          {option.words}
        </label>
      ))}
    </fieldset>
  )
}
