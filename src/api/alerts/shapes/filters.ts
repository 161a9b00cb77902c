import { searchKeyOf } from '../../../query/search.ts'
import { literal, numberOf, type Part, type Reading, textOf } from './part.ts'
import type { Targets } from './targets.ts'

// Filters of other shapes as terms of the search language. Both shapes have the same filters. Where their fields have other
// names, this module takes the fields by their meaning.

/** How a value is compared: `co` contains, `sw` starts with, `is` is set, and each with an `n` before it. */
type Match = 'eq' | 'co' | 'sw' | 'ew' | 'in' | 'is' | 'gte' | 'lte'

const matches: Readonly<Record<string, { match: Match; negated: boolean }>> = {
  eq: { match: 'eq', negated: false },
  ne: { match: 'eq', negated: true },
  co: { match: 'co', negated: false },
  nc: { match: 'co', negated: true },
  sw: { match: 'sw', negated: false },
  nsw: { match: 'sw', negated: true },
  ew: { match: 'ew', negated: false },
  new: { match: 'ew', negated: true },
  in: { match: 'in', negated: false },
  nin: { match: 'in', negated: true },
  is: { match: 'is', negated: false },
  ns: { match: 'is', negated: true },
  gte: { match: 'gte', negated: false },
  lte: { match: 'lte', negated: false },
}

/** Attributes whose search keys have another name than their group there and the same after it. */
const groups: Readonly<Record<string, string>> = { exception: 'error', stacktrace: 'stack' }
const otherNames: Readonly<Record<string, string>> = { type: 'event.type', ip_address: 'ip' }

/** The search key of an attribute; undefined if no key has it. */
function keyOf(attribute: string): string | undefined {
  const [first = '', second] = attribute.split('.')
  const isGroup = Object.hasOwn(groups, first)
  const last = (name: string) => (!isGroup && Object.hasOwn(otherNames, name) ? otherNames[name] : name)
  const found = searchKeyOf(
    second === undefined ? `${last(first)}` : `${isGroup ? groups[first] : first}.${last(second)}`,
  )
  return found === undefined || found.source.in === 'nothing' ? undefined : found.name
}

/** Attributes that the other shapes know and that no search key has. */
const unsearchable: Readonly<Record<string, readonly string[]>> = {
  http: ['method', 'status_code'],
  sdk: ['name'],
  stacktrace: ['code'],
  unreal: ['crash_type'],
  app: ['in_foreground'],
  os: ['distribution_name', 'distribution_version'],
  device: ['screen_width_pixels', 'screen_height_pixels', 'screen_dpi', 'screen_density'],
}

const levels = ['debug', 'info', 'warning', 'error', 'fatal'] as const
/** Levels as the other shapes number them: 10 is debug, 50 is fatal. */
const levelAt = (number: number) => levels[number / 10 - 1]

const categories: Readonly<Record<string, string>> = { 1: 'error', 2: 'performance', 6: 'feedback' }
const timeUnits: Readonly<Record<string, string>> = { minute: 'm', hour: 'h', day: 'd', week: 'w' }

/** Writes a term. `negated` is the one of the match and the one of the group together. */
const term = (negated: boolean, text: string) => `${negated ? '!' : ''}${text}`

function compared(key: string, name: string, value: string, isGroupNegated: boolean): Reading<string> {
  const found = Object.hasOwn(matches, name) ? matches[name] : undefined
  if (!found || found.match === 'gte' || found.match === 'lte')
    return { mistake: `Unknown match ${JSON.stringify(name)}: eq, ne, co, nc, sw, nsw, ew, new, in, nin, is or ns.` }
  const negated = found.negated !== isGroupNegated
  if (found.match === 'is') return { value: term(negated, `has:${key}`) }
  if (value === '') return { mistake: `${key} needs a value.` }
  if (found.match === 'in') {
    const values = value.split(',').map((part) => `"${literal(part.trim())}"`)
    return { value: term(negated, `${key}:[${values.join(', ')}]`) }
  }
  const [before, after] = [found.match === 'co' || found.match === 'ew', found.match === 'co' || found.match === 'sw']
  return { value: term(negated, `${key}:"${before ? '*' : ''}${literal(value)}${after ? '*' : ''}"`) }
}

function attributeTerm(attribute: string, match: string, value: string, negated: boolean): Reading<string> {
  const key = keyOf(attribute)
  if (key !== undefined) return compared(key, match, value, negated)
  const [group = '', last = ''] = attribute.split('.')
  if (Object.hasOwn(unsearchable, group) && unsearchable[group]?.includes(last))
    return { unevaluable: `the attribute ${attribute}` }
  return { mistake: `Unknown attribute ${JSON.stringify(attribute.slice(0, 100))}.` }
}

function tagTerm(key: string, match: string, value: string, negated: boolean): Reading<string> {
  if (!/^[\w.:-]{1,200}$/.test(key)) return { mistake: `Wrong tag ${JSON.stringify(key.slice(0, 100))}.` }
  return compared(`tags[${key}]`, match, value, negated)
}

function levelTerm(level: number | undefined, match: string, negated: boolean): Reading<string> {
  const name = level === undefined ? undefined : levelAt(level)
  if (name === undefined || !['eq', 'gte', 'lte'].includes(match))
    return { mistake: 'level is 10, 20, 30, 40 or 50, and match eq, gte or lte.' }
  const at = levels.indexOf(name)
  const among = match === 'eq' ? [name] : match === 'gte' ? levels.slice(at) : levels.slice(0, at + 1)
  return { value: term(negated, `level:[${among.join(', ')}]`) }
}

export function ageTerm(part: Part, comparison: string, negated: boolean): Reading<string> {
  const [value, unit] = [numberOf(part, 'value'), timeUnits[textOf(part, 'time')]]
  if (value === undefined || value < 0 || !unit || !['older', 'newer'].includes(comparison))
    return { mistake: 'An age is older or newer, with a value and a time of minute, hour, day or week.' }
  const isOlder = (comparison === 'older') !== negated
  return { value: `age:${isOlder ? '+' : '-'}${Math.round(value)}${unit}` }
}

function occurrencesTerm(value: number | undefined, negated: boolean): Reading<string> {
  if (value === undefined || value < 0) return { mistake: 'value is a number of events.' }
  return { value: `timesSeen:${negated ? '<' : '>='}${Math.round(value)}` }
}

function assignedTerm(
  type: string,
  target: string,
  people: ReadonlyMap<string, string>,
  negated: boolean,
): Reading<string> {
  if (type === 'NoOne' || type === 'Unassigned') return { value: negated ? 'is:assigned' : 'is:unassigned' }
  // The team of an organization is the organization itself, so each assigned issue is assigned to it or to a member.
  if (type === 'Team') return { value: negated ? 'is:unassigned' : 'is:assigned' }
  const email = people.get(target)
  if (type !== 'Member' || email === undefined)
    return { mistake: 'targetType is Unassigned, Team or Member, with the id of a member.' }
  return { value: term(negated, `assigned:"${literal(email)}"`) }
}

export function categoryTerm(value: string, negated: boolean): Reading<string> {
  const name = Object.hasOwn(categories, value) ? categories[value] : undefined
  if (name !== undefined) return { value: term(negated, `issue.category:${name}`) }
  return /^\d{1,2}$/.test(value)
    ? { unevaluable: `the issue category ${value}` }
    : { mistake: 'Unknown issue category.' }
}

/** Reads a filter as a term. `negated`: no filter of its group may be met. */
export type FilterReader = (part: Part, negated: boolean, targets: Targets) => Reading<string>

/** The filters whose fields have the same names in both shapes. */
export const commonFilters = {
  assigned_to: (part, negated, { people }) =>
    assignedTerm(textOf(part, 'targetType'), textOf(part, 'targetIdentifier'), people, negated),
  issue_occurrences: (part, negated) => occurrencesTerm(numberOf(part, 'value'), negated),
  event_attribute: (part, negated) =>
    attributeTerm(textOf(part, 'attribute'), textOf(part, 'match'), textOf(part, 'value'), negated),
  tagged_event: (part, negated) => tagTerm(textOf(part, 'key'), textOf(part, 'match'), textOf(part, 'value'), negated),
  latest_release: (_part, negated) => ({ value: term(negated, 'release:latest') }),
  latest_adopted_release: () => ({ unevaluable: 'the latest adopted release' }),
  level: (part, negated) => levelTerm(numberOf(part, 'level'), textOf(part, 'match'), negated),
} satisfies Readonly<Record<string, FilterReader>>

/** Joins terms to one search text: all of them, any of them, or none of them (their terms are negated already). */
export function joined(terms: readonly string[], how: 'all' | 'any' | 'none'): string {
  if (how !== 'any' || terms.length < 2) return terms.join(' ')
  return `(${terms.join(' OR ')})`
}
