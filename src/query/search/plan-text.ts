import type { EventFilter } from '../../store/events/events.ts'
import type { IssueFilter } from '../../store/meta/meta.ts'
import type { Term } from './ast.ts'

/** A free-text term of a search. */
export type Text = Extract<Term, { op: 'text' }>

const shortId = /^[A-Za-z0-9][A-Za-z0-9_-]*-[0-9A-Za-z]+$/
/** An event id as clients write it: 32 hex characters, or a UUID. */
const eventIdForm = /^[0-9a-f]{32}$|^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Returns the event id (32 lower-case hex) if the whole text is an id. */
export const pastedEventId = ({ value, wild }: Text): string | undefined =>
  !wild && eventIdForm.test(value) ? value.replaceAll('-', '').toLowerCase() : undefined

/** Returns a pattern for values that contain the text. */
export const contained = ({ value, wild }: Pick<Text, 'value' | 'wild'>): string =>
  `*${wild ? value : value.replace(/[*\\]/g, '\\$&')}*`

/** Filter for free text in events: their message contains it. */
export const wordsOf = (term: Text): EventFilter => ({
  op: 'field',
  field: 'message',
  match: 'like',
  value: contained(term),
})

/** Filter for free text in issues. It also finds short ids, because users paste them. */
export function textOf(term: Text): IssueFilter {
  const { value, wild } = term
  if (wild) {
    const fields = ['title', 'culprit', 'errorType', 'errorValue'] as const
    return { op: 'or', of: fields.map((field) => ({ op: 'field', field, match: 'like', value: contained(term) })) }
  }
  const text: IssueFilter = { op: 'text', value }
  return shortId.test(value)
    ? { op: 'or', of: [text, { op: 'field', field: 'shortId', match: 'is', value: value.toUpperCase() }] }
    : text
}
