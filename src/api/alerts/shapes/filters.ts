import { literal, numberOf, type Part, type Reading, textOf } from './part.ts'

// Filters of other shapes as terms of the search language. Both shapes have the same filters with other names of their
// fields, so this module takes the fields by their meaning.

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

/** Attributes of events with the search key that they are here. */
const attributeKeys: Readonly<Record<string, string>> = {
  message: 'message',
  platform: 'platform',
  environment: 'environment',
  type: 'event.type',
  'error.handled': 'error.handled',
  'error.unhandled': 'error.unhandled',
  'error.main_thread': 'error.main_thread',
  'exception.type': 'error.type',
  'exception.value': 'error.value',
  'user.id': 'user.id',
  'user.email': 'user.email',
  'user.username': 'user.username',
  'user.ip_address': 'user.ip',
  'http.url': 'url',
  symbolicated_in_app: 'symbolicated_in_app',
  'stacktrace.module': 'stack.module',
  'stacktrace.filename': 'stack.filename',
  'stacktrace.abs_path': 'stack.abs_path',
  'stacktrace.package': 'stack.package',
}

/** Attributes that the other shapes know and that no search key has. */
const knownAttributes = new Set([
  'http.method',
  'http.status_code',
  'sdk.name',
  'stacktrace.code',
  'unreal.crash_type',
  'app.in_foreground',
  'os.distribution_name',
  'os.distribution_version',
  'device.screen_width_pixels',
  'device.screen_height_pixels',
  'device.screen_dpi',
  'device.screen_density',
])

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
    const values = value.split(',').map((one) => `"${literal(one.trim())}"`)
    return { value: term(negated, `${key}:[${values.join(', ')}]`) }
  }
  const [before, after] = [found.match === 'co' || found.match === 'ew', found.match === 'co' || found.match === 'sw']
  return { value: term(negated, `${key}:"${before ? '*' : ''}${literal(value)}${after ? '*' : ''}"`) }
}

export function attributeTerm(attribute: string, match: string, value: string, negated: boolean): Reading<string> {
  const key = Object.hasOwn(attributeKeys, attribute) ? attributeKeys[attribute] : undefined
  if (key !== undefined) return compared(key, match, value, negated)
  if (knownAttributes.has(attribute)) return { unevaluable: `the attribute ${attribute}` }
  return { mistake: `Unknown attribute ${JSON.stringify(attribute.slice(0, 100))}.` }
}

export function tagTerm(key: string, match: string, value: string, negated: boolean): Reading<string> {
  if (!/^[\w.:-]{1,200}$/.test(key)) return { mistake: `Wrong tag ${JSON.stringify(key.slice(0, 100))}.` }
  return compared(`tags[${key}]`, match, value, negated)
}

export function levelTerm(level: number | undefined, match: string, negated: boolean): Reading<string> {
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

export function occurrencesTerm(value: number | undefined, negated: boolean): Reading<string> {
  if (value === undefined || value < 0) return { mistake: 'value is a number of events.' }
  return { value: `timesSeen:${negated ? '<' : '>='}${Math.round(value)}` }
}

export function assignedTerm(
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

/** Joins terms to one search text: all of them, any of them, or none of them (their terms are negated already). */
export function joined(terms: readonly string[], how: 'all' | 'any' | 'none'): string {
  if (how !== 'any' || terms.length < 2) return terms.join(' ')
  return `(${terms.join(' OR ')})`
}
