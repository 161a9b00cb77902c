import { logKeyOf } from '../../../query/logs/keys.ts'
import { keyOfTag, quoted, termsOf, withoutTerm } from '../search/terms.ts'

/** The name of a field in a search: an attribute whose name is also a key is written as `tags[…]`. */
const keyOfField = (field: string): string => (logKeyOf(field) ? field : keyOfTag(field, logKeyOf))

type Chosen = { at: number; values: string[] }

const entriesOf = (list: string): string[] =>
  (list.match(/"(?:\\.|[^"\\])*"|[^,[\]\s]+/g) ?? []).map((entry) =>
    entry.startsWith('"') ? entry.slice(1, -1).replace(/\\(["*\\])/g, '$1') : entry,
  )

/** The term of a search that allows only some values of a key; undefined if there is none. */
function chosenTerm(q: string, key: string): Chosen | undefined {
  const at = termsOf(q).findIndex(
    (term) => term.kind === 'filter' && term.key === `${key}:` && !/^[<>=!]/.test(term.value),
  )
  const term = termsOf(q)[at]
  return term && { at, values: entriesOf(term.value) }
}

/** The values of a field that a search allows; empty if it allows all. */
export const chosenValues = (q: string, field: string): string[] => chosenTerm(q, keyOfField(field))?.values ?? []

/** The search with a value of a field added to those that it allows, or removed from them. */
export function toggledValue(q: string, field: string, value: string): string {
  const key = keyOfField(field)
  const chosen = chosenTerm(q, key)
  const before = chosen?.values ?? []
  const values = before.includes(value) ? before.filter((other) => other !== value) : [...before, value]
  const rest = chosen ? withoutTerm(q, chosen.at) : q
  const [first] = values
  if (first === undefined) return rest
  const text = values.length === 1 ? quoted(first) : `[${values.map(quoted).join(', ')}]`
  return `${rest} ${key}:${text}`.trim()
}

/** The search limited to one value of a field, or without it. */
export function narrowed(q: string, field: string, value: string, how: 'only' | 'without'): string {
  const key = keyOfField(field)
  const term = `${how === 'without' ? '!' : ''}${key}:${quoted(value)}`
  const chosen = how === 'only' ? chosenTerm(q, key) : undefined
  const rest = chosen ? withoutTerm(q, chosen.at) : q
  return termsOf(rest).some(({ text }) => text === term) ? rest : `${rest} ${term}`.trim()
}
