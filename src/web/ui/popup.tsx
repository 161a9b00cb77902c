'use client'
import { ChevronDown } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useCloseOutside } from './close-outside.ts'
import { PlainText } from './plain-text.tsx'

/**
 * A control with a panel: its label, its value and a chevron. It is a `details`, so that a click before the scripts run
 * opens it too. The panel is rendered while it is open. Escape, a click elsewhere and leaving by Tab close it.
 */
export function Popup({
  label,
  value,
  name,
  isLabelHidden = false,
  children,
}: {
  label: string
  /** The value says enough: only screen readers get the label. */
  isLabelHidden?: boolean
  value: string
  /** For the keys that open it. */
  name: string
  children: (close: () => void) => ReactNode
}) {
  const details = useRef<HTMLDetailsElement>(null)
  const [open, setOpen] = useState(false)
  useEffect(() => {
    if (details.current?.open) setOpen(true)
  }, [])
  useCloseOutside(details, open)
  function close(): void {
    if (!details.current) return
    details.current.open = false
    details.current.querySelector('summary')?.focus()
  }
  return (
    <details
      ref={details}
      className="popup"
      data-popup={name}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      onBlur={(event) => {
        const to = event.relatedTarget
        if (to && !event.currentTarget.contains(to)) event.currentTarget.open = false
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !details.current?.open) return
        event.stopPropagation()
        close()
      }}
    >
      <summary className="popup-button">
        <span className={isLabelHidden ? 'sr-only' : 'popup-label'}>{label}</span>{' '}
        <PlainText text={value} charactersMax={60} />
        <ChevronDown size={13} strokeWidth={1.75} aria-hidden="true" />
      </summary>
      {open ? <div className="popup-panel">{children(close)}</div> : null}
    </details>
  )
}

type Choice = { value: string; text: string; isChosen: boolean }

/** From this many choices on, a field filters them. */
const filterFrom = 9
/** More choices are not shown at once: the filter finds them. */
const shownMax = 200

/** The choices of a popup: arrows move, Enter and Space choose. With `multiple` the panel stays open. */
export function Choices({
  label,
  filterLabel,
  choices,
  multiple = false,
  choose,
}: {
  label: string
  filterLabel: string
  choices: readonly Choice[]
  multiple?: boolean
  choose: (value: string) => void
}) {
  const list = useRef<HTMLDivElement>(null)
  const [typed, setTyped] = useState('')
  const isLong = choices.length >= filterFrom
  useEffect(() => {
    const chosen = list.current?.querySelector<HTMLElement>('[aria-selected=true]')
    const first = list.current?.querySelector<HTMLElement>('[role=option]')
    if (!isLong) (chosen ?? first)?.focus()
  }, [isLong])
  const shown = choices.filter((choice) => choice.text.toLowerCase().includes(typed.toLowerCase())).slice(0, shownMax)
  function move(event: KeyboardEvent): void {
    const options = [...(list.current?.querySelectorAll<HTMLElement>('[role=option]') ?? [])]
    const { activeElement } = document
    const at = activeElement instanceof HTMLElement ? options.indexOf(activeElement) : -1
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: options.length - 1 }[event.key]
    if (to === undefined || (at < 0 && (event.key === 'Home' || event.key === 'End'))) return
    event.preventDefault()
    options[Math.max(0, Math.min(options.length - 1, to))]?.focus()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys bubble up from the field and the options
    <div onKeyDown={move}>
      {isLong ? (
        <input
          className="input popup-filter"
          // biome-ignore lint/a11y/noAutofocus: the panel opens on request, and its field is used next
          autoFocus
          aria-label={filterLabel}
          placeholder={filterLabel}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      ) : null}
      <div ref={list} role="listbox" aria-label={label} aria-multiselectable={multiple} className="popup-list">
        {shown.map(({ value, text, isChosen }) => (
          <button
            key={value}
            type="button"
            role="option"
            aria-selected={isChosen}
            tabIndex={isChosen ? 0 : -1}
            className="popup-choice"
            data-value={value}
            onClick={() => choose(value)}
          >
            <PlainText text={text} charactersMax={100} />
          </button>
        ))}
      </div>
    </div>
  )
}
