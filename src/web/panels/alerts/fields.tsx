'use client'
import { type ReactNode, useEffect, useState } from 'react'
import { PlainText } from '../../ui/plain-text.tsx'
import { Choices, Popup } from '../../ui/popup.tsx'
import { useEditor } from './editor-context.ts'

/** One of a few choices, in the middle of a sentence. Without write access it is only its text. */
export function Pick<T extends string>({
  label,
  value,
  text,
  choices,
  onChange,
}: {
  label: string
  value: T
  /** The text of a value that is none of the choices. */
  text?: string
  choices: readonly { value: T; text: string }[]
  onChange: (value: T) => void
}) {
  const { mayWrite } = useEditor()
  const shown = choices.find((choice) => choice.value === value)?.text ?? text ?? value
  if (!mayWrite)
    return (
      <b className="alert-fixed">
        <PlainText text={shown} charactersMax={100} />
      </b>
    )
  return (
    <Popup name={label} label={label} isLabelHidden value={shown}>
      {(close) => (
        <Choices
          label={label}
          filterLabel={label}
          choices={choices.map((choice) => ({ ...choice, isChosen: choice.value === value }))}
          choose={(chosen) => {
            const found = choices.find((choice) => choice.value === chosen)
            if (found) onChange(found.value)
            close()
          }}
        />
      )}
    </Popup>
  )
}

/** The number of a typed text, with a comma or a point. Null: it is empty. Undefined: it is no number. */
export function typedNumber(text: string): number | null | undefined {
  const plain = text.trim().replace(',', '.')
  if (plain === '') return null
  return /^-?\d{1,15}(\.\d{0,6})?$/.test(plain) ? Number(plain) : undefined
}

/** A number in the middle of a sentence. A text that is no number stays visible and marked, and changes nothing. */
export function NumberField({
  label,
  value,
  onChange,
  isWrong = false,
  wholeFrom,
  placeholder,
}: {
  label: string
  value: number | null
  onChange: (value: number | null) => void
  isWrong?: boolean
  /** Only whole numbers from this number. */
  wholeFrom?: number
  placeholder?: string
}) {
  const { mayWrite } = useEditor()
  const shown = value === null ? '' : String(value)
  const [typed, setTyped] = useState(shown)
  useEffect(() => setTyped((before) => (typedNumber(before) === value ? before : shown)), [value, shown])
  const fits = (number: number | null | undefined) =>
    number !== undefined &&
    (number === null || wholeFrom === undefined || (Number.isInteger(number) && number >= wholeFrom))
  return (
    <input
      className="input alert-number"
      inputMode="decimal"
      aria-label={label}
      aria-invalid={isWrong || !fits(typedNumber(typed)) || undefined}
      autoComplete="off"
      maxLength={20}
      placeholder={placeholder}
      readOnly={!mayWrite}
      value={typed}
      onChange={(event) => {
        setTyped(event.target.value)
        const number = typedNumber(event.target.value)
        if (fits(number)) onChange(number ?? null)
      }}
    />
  )
}

/** A box with the sentence that it turns on. */
export function Check({
  checked,
  onChange,
  children,
}: {
  checked: boolean
  onChange: (checked: boolean) => void
  children: ReactNode
}) {
  const { mayWrite } = useEditor()
  return (
    <label className="alert-check">
      <input
        type="checkbox"
        className="checkbox"
        checked={checked}
        disabled={!mayWrite}
        onChange={(event) => onChange(event.target.checked)}
      />
      {children}
    </label>
  )
}

/** The sentences about the fields of a part. */
export function FieldErrors({ errors }: { errors: readonly string[] }) {
  if (errors.length === 0) return null
  return (
    <p role="alert" className="alert-wrong">
      {errors.join(' ')}
    </p>
  )
}

/** A numbered part of the form. */
export function Step({ number, title, children }: { number: number; title: string; children: ReactNode }) {
  const id = `alert-step-${number}`
  return (
    <section className="alert-step" aria-labelledby={id}>
      <span className="alert-step-number" aria-hidden="true">
        {number}
      </span>
      <div className="alert-step-body">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </section>
  )
}
