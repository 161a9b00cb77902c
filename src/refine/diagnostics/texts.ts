import type { NormalEvent } from '../../domain/event.ts'

/**
 * A text of an event about the error. `whole` is the full text, `text` its beginning, which is searched for words.
 * `type` is '' for a message.
 */
export type EventText = { type: string; text: string; whole: string }

/** All diagnostics match the beginning of a text. Only diffs and arguments are longer. */
const lookMax = 1024
const foundMax = 200
/** Characters of a line that stay before the match. */
const leadMax = 60

const front = (text: string): string => (text.length > lookMax ? text.slice(0, lookMax) : text)

/** The texts of the exceptions, newest first, then the message. `text` is cut to the searched length. */
export function eventTextsOf(event: NormalEvent): EventText[] {
  const out: EventText[] = []
  const values = event.exception?.values ?? []
  for (let i = values.length - 1; i >= 0; i--) {
    const { type = '', value = '' } = values[i] ?? {}
    if (type || value) out.push({ type, text: front(value), whole: value })
  }
  const message = event.logentry?.formatted ?? event.logentry?.message
  if (message) out.push({ type: '', text: front(message), whole: message })
  return out
}

/** One line of at most `max` characters (default 200), as stored evidence. */
export function short(text: string, max = foundMax): string {
  const line = text
    .slice(0, max * 4)
    .replace(/\s+/g, ' ')
    .trim()
  return (line.length > max ? `${line.slice(0, max - 1)}…` : line).toWellFormed()
}

/** The line of `text` at index `at`, as evidence. */
export function lineAt(text: string, at: number): string {
  const from = text.lastIndexOf('\n', at - 1) + 1
  const end = text.indexOf('\n', at)
  return short(text.slice(Math.max(from, at - leadMax), end < 0 ? undefined : end))
}
