'use client'
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { Dialog } from '../dialog.tsx'
import { PlainText } from '../plain-text.tsx'
import { Input } from './controls.tsx'

/** One choice. `keys` appear next to it. `off` is the reason why it cannot be chosen. */
export type Choice = {
  id: string
  text: string
  note?: string
  keys?: readonly string[]
  off?: string
  run: () => void
}

const listId = 'choices'
const optionId = (at: number) => `${listId}-${at}`

/** The choices whose text or note contains every word, in any order and case. */
export function choicesFor(choices: readonly Choice[], text: string): Choice[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return choices.filter(({ text: choiceText, note = '' }) => {
    const all = `${choiceText} ${note}`.toLowerCase()
    return words.every((word) => all.includes(word))
  })
}

const stepped = (at: number, step: number, count: number): number =>
  count === 0 ? 0 : (((at + step) % count) + count) % count

/** A dialog to choose one item by typing, arrow keys and Enter, or a click. */
export function ChoiceDialog({
  title,
  label,
  none,
  choices,
  searchChoices,
  onClose,
  children,
}: {
  title: string
  label: string
  /** Shown if no choice matches. */
  none: string
  choices: readonly Choice[]
  /** Creates choices from the typed text. They come first. */
  searchChoices?: (text: string) => readonly Choice[]
  onClose: () => void
  children?: ReactNode
}) {
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const found = [...(searchChoices?.(text) ?? []), ...choicesFor(choices, text)]
  const choose = (choice: Choice | undefined) => {
    if (!choice || choice.off !== undefined) return
    onClose()
    choice.run()
  }
  const onKey = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step) {
      const next = stepped(at, step, found.length)
      setAt(next)
      document.getElementById(optionId(next))?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter') choose(found[at])
    else return
    event.preventDefault()
  }
  return (
    <Dialog title={title} onClose={onClose} focus={field}>
      <Input
        ref={field}
        role="combobox"
        aria-label={label}
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={found.length ? optionId(at) : undefined}
        autoComplete="off"
        placeholder={label}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setAt(0)
        }}
        onKeyDown={onKey}
      />
      <div id={listId} role="listbox" aria-label={title} className="mt-2 max-h-[360px] overflow-y-auto">
        {found.map((choice, index) => (
          <div
            key={choice.id}
            id={optionId(index)}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            aria-disabled={choice.off !== undefined || undefined}
            title={choice.off}
            className="choice flex items-baseline gap-2"
            onPointerMove={() => setAt(index)}
            onClick={() => choose(choice)}
            onKeyDown={onKey}
          >
            <PlainText text={choice.text} charactersMax={120} />
            {choice.note ? (
              <span className="min-w-0 grow truncate text-ink-3">
                <PlainText text={choice.note} charactersMax={160} />
              </span>
            ) : (
              <span className="grow" />
            )}
            {choice.keys?.map((key) => (
              <kbd key={key} className="key">
                {key}
              </kbd>
            ))}
          </div>
        ))}
      </div>
      {found.length === 0 ? <p className="mt-2 text-ink-3">{none}</p> : null}
      {children}
    </Dialog>
  )
}
