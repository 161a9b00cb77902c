'use client'

/** Radio buttons in a row, for a few choices that are always visible. `count`: what is behind a choice, as text. */
export function Segments<T extends string>({
  label,
  value,
  choices,
  onChange,
}: {
  label: string
  value: T
  choices: readonly { value: T; label: string; count?: string | undefined }[]
  onChange: (value: T) => void
}) {
  return (
    <div className="segments" role="radiogroup" aria-label={label}>
      {choices.map((choice) => (
        // biome-ignore lint/a11y/useSemanticElements: native radios would take the arrow keys of the page
        <button
          key={choice.value}
          type="button"
          role="radio"
          aria-checked={choice.value === value}
          onClick={() => onChange(choice.value)}
        >
          {choice.label}
          {choice.count === undefined ? null : <span className="segment-count"> {choice.count}</span>}
        </button>
      ))}
    </div>
  )
}
