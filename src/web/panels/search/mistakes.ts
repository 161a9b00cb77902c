import type { QueryMistake } from '../../../base/errors.ts'
import { nearestWord, plainValuesOf, searchKeyOf, searchMistakes } from '../../../query/search.ts'
import type { KeyTable } from './complete.ts'
import { termsOf } from './terms.ts'

/** The names of the mistakes that the screens have a sentence for. */
const reasons = [
  'key',
  'state',
  'choice',
  'boolean',
  'number',
  'duration',
  'date',
  'project',
  'line_break',
  'stray_close',
  'or_operand',
  'and_before',
  'and_after',
  'unclosed_group',
  'empty_group',
  'inner_quote',
  'unclosed_quote',
  'missing_value',
  'list_value',
  'list_end',
] as const
type Reason = (typeof reasons)[number]

/** A mistake as the box shows it. `fixed` is the whole text with the suggestion. */
export type Mistake = {
  reason: Reason
  /** The index of its term in `termsOf`; -1 for none. */
  term: number
  wrong: string
  /** The term with the suggestion, and the text with that term. */
  suggestion: { term: string; text: string } | undefined
}

/** Projects that the text names and nobody knows. `slugs` are the projects that the person may read. */
function unknownProjects(
  text: string,
  slugs: readonly string[],
): Pick<QueryMistake, 'reason' | 'from' | 'to' | 'suggestion'>[] {
  return termsOf(text).flatMap((term) => {
    const name = term.key.replace(/^!/, '').replace(/:$/, '')
    if (term.kind !== 'filter' || searchKeyOf(name)?.name !== 'project') return []
    const unknown = (plainValuesOf(term.text.replace(/^!/, '')) ?? []).filter((slug) => !slugs.includes(slug))
    return unknown.map((slug) => {
      const from = text.indexOf(slug, term.from + term.key.length)
      return { reason: 'project', from, to: from + slug.length, suggestion: nearestWord(slug, slugs) }
    })
  })
}

/**
 * All mistakes of a text, by position. `slugs`: the known projects; undefined if the box has none. `table`: the keys, by
 * default those of issues.
 */
export function mistakesOf(text: string, slugs: readonly string[] | undefined, table?: KeyTable): Mistake[] {
  const terms = termsOf(text)
  const own = table?.closed ? table.closed.mistakesOf(text) : searchMistakes(text, table?.keyOf)
  const found = [...own, ...(slugs?.length ? unknownProjects(text, slugs) : [])]
  return found
    .toSorted((a, b) => a.from - b.from)
    .flatMap(({ reason: name, from, to, suggestion }) => {
      const reason = reasons.find((known) => known === name)
      if (!reason) return []
      const index = terms.findIndex((term) => term.from <= from && from <= term.to)
      const term = terms[index]
      const fixed = suggestion === undefined ? undefined : text.slice(0, from) + suggestion + text.slice(to)
      const wrong = to > from ? text.slice(from, to) : (term?.text ?? '')
      return [
        {
          reason,
          term: index,
          wrong,
          suggestion:
            fixed === undefined || !term
              ? undefined
              : { term: fixed.slice(term.from, term.to + fixed.length - text.length), text: fixed },
        },
      ]
    })
}
