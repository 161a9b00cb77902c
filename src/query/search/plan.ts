import type { Search, Term, TextPattern } from './ast.ts'
import { type Branch, both, constantBranch, either, eventIs, issueIs } from './branches.ts'
import { dateCondition, flagCondition, numberCondition, presenceCondition, valuesCondition } from './conditions.ts'
import type { SearchContext } from './context.ts'
import type { KeySource, SearchKey } from './key.ts'
import { searchKeyOf } from './lookup.ts'
import { demandFewComparisons, demandFewPatterns, demandFewTexts } from './plan-bounds.ts'
import { pastedEventId, type Text, textOf, wordsOf } from './plan-text.ts'
import { isState, stateFilters } from './states.ts'

/** A query, split by the store that can answer it. Results match any branch. No branches find nothing. */
export type Plan = { branches: Branch[] }

/**
 * Splits a parsed query (undefined: everything) into branches. Throws QUERY_TOO_LONG if the query mixes conditions on
 * issues and on events in too many ways, or exceeds the work limits of a process (plan-bounds.ts).
 */
export async function planOf(search: Search | undefined, context: SearchContext): Promise<Plan> {
  if (search === undefined) return { branches: [{}] }
  await demandFewComparisons(search, context.releases)
  const branches = await build(search, false, context)
  demandFewTexts(branches.flatMap((branch) => branch.issue ?? []))
  demandFewPatterns(branches.flatMap((branch) => branch.event ?? []))
  return { branches }
}

/** Pushes `negate` down to the leaves, so that a branch only joins conditions. */
async function build(node: Search, negate: boolean, context: SearchContext): Promise<Branch[]> {
  if (node.op === 'not') return build(node.of, !negate, context)
  if ('of' in node) {
    const parts = await Array.fromAsync(node.of, async (part) => build(part, negate, context))
    return (node.op === 'and') !== negate ? parts.reduce(both, [{}]) : either(parts.flat())
  }
  return leaf(node, negate, context)
}

async function leaf(term: Term, negate: boolean, context: SearchContext): Promise<Branch[]> {
  switch (term.op) {
    case 'measure':
      // Spans and transactions have durations and aggregates; an error event has none.
      return constantBranch(negate)
    case 'text':
      return textCondition(term, negate, context)
    case 'is':
      return stateCondition(term.value, negate)
    default:
      return keyCondition(term, negate, context)
  }
}

/** Condition for free text. A pasted event id also finds its event or issue, not only texts that contain it. */
function textCondition(term: Text, negate: boolean, context: SearchContext): Branch[] {
  const text = context.lists === 'events' ? eventIs(wordsOf(term), negate) : issueIs(textOf(term), negate)
  const value = pastedEventId(term)
  if (value === undefined) return text
  const event = eventIs({ op: 'field', field: 'event_id', match: 'is', value }, negate)
  return negate ? both(text, event) : either([...text, ...event])
}

function stateCondition(state: string, negate: boolean): Branch[] {
  const filter = isState(state) ? stateFilters[state] : false
  return typeof filter === 'boolean' ? constantBranch(filter !== negate) : issueIs(filter, negate)
}

/** Returns the source of a key. A key outside the table is a tag. */
function sourceOf(key: SearchKey | undefined, name: string, context: SearchContext): KeySource {
  if (!key) return { in: 'tags', tags: [name] }
  return (context.lists === 'events' ? key.eventSource : undefined) ?? key.source
}

async function keyCondition(
  term: Extract<Term, { op: 'match' | 'has' | 'number' | 'date' | 'flag' }>,
  negate: boolean,
  context: SearchContext,
): Promise<Branch[]> {
  const key = 'tag' in term && term.tag ? undefined : searchKeyOf(term.key)
  const source = sourceOf(key, term.key, context)
  switch (term.op) {
    case 'has':
      return presenceCondition(source, negate, context)
    case 'flag':
      return flagCondition(source, term.value, negate)
    case 'number':
      return numberCondition(source, term, negate, context)
    case 'date':
      return dateCondition(source, term, negate, context)
    case 'match':
      return valuesCondition(
        source,
        key?.latest ? await withLatest(term.values, context) : term.values,
        negate,
        context,
      )
  }
}

const isLatest = (pattern: TextPattern) => pattern.text.toLowerCase() === 'latest' && !pattern.wild

/** Replaces the word `latest` by the latest releases. No release can have this name. */
async function withLatest(values: TextPattern[], context: SearchContext): Promise<TextPattern[]> {
  const others = values.filter((value) => !isLatest(value))
  if (others.length === values.length) return values
  return [...(await context.latestReleases()).map((text) => ({ text, wild: false })), ...others]
}
