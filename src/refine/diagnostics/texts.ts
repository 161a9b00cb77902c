import type { NormalEvent } from '../../domain/event.ts'

/**
 * A text of an event that says what went wrong: `whole` is all of it, `text` the front of it, where words are looked for.
 * `type` is '' for a message.
 */
export type Said = { type: string; text: string; whole: string }

/** All signs stand at the front of a text; only diffs and arguments are longer. */
const lookMax = 1024
const foundMax = 200
/** Characters of a line that stay in front of what was found. */
const leadMax = 60

const front = (text: string): string => (text.length > lookMax ? text.slice(0, lookMax) : text)

/** What the exceptions say, newest first, then the message; texts cut to where words are looked for. */
export function saidOf(event: NormalEvent): Said[] {
  const out: Said[] = []
  const values = event.exception?.values ?? []
  for (let i = values.length - 1; i >= 0; i--) {
    const { type = '', value = '' } = values[i] ?? {}
    if (type || value) out.push({ type, text: front(value), whole: value })
  }
  const message = event.logentry?.formatted ?? event.logentry?.message
  if (message) out.push({ type: '', text: front(message), whole: message })
  return out
}

/** One line of at most 200 characters, as evidence is kept. */
export function short(text: string, max = foundMax): string {
  const line = text
    .slice(0, max * 4)
    .replace(/\s+/g, ' ')
    .trim()
  return (line.length > max ? `${line.slice(0, max - 1)}…` : line).toWellFormed()
}

/** The line of `text` that `at` stands in, as evidence. */
export function lineAt(text: string, at: number): string {
  const from = text.lastIndexOf('\n', at - 1) + 1
  const end = text.indexOf('\n', at)
  return short(text.slice(Math.max(from, at - leadMax), end < 0 ? undefined : end))
}
