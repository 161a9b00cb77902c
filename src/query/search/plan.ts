import { MishapError } from '../../base/errors.ts'
import type { EventFilter } from '../../store/events/events.ts'
import type { Issue, IssueFilter } from '../../store/meta/meta.ts'
import type { Search, Term, Wanted } from './ast.ts'
import { isUnmet } from './keys.ts'
import { demandFewComparisons, demandFewPatterns, demandFewTexts } from './plan-bounds.ts'
import { framesAsked } from './plan-frames.ts'
import { contained, pastedEventId, type Text, textOf, wordsOf } from './plan-text.ts'
import { type CutRelease, type ReleasePart, releaseMeets } from './release-parts.ts'
import { placed } from './value.ts'

/** What names in a query stand for, for the one who asks. */
export type Names = {
  nowMs: number
  meUserId: string | undefined
  userIdOf(email: string): string | undefined
  /** Ids of projects by slug; empty when there is none. */
  projectIdsOf(slug: Wanted): number[]
  projectIds: number[]
  /** The latest release of each project, each once. */
  latestReleases(): string[]
  /** Releases of the projects, the newest 1,000 of each. */
  releases(): readonly CutRelease[]
  /** What is listed: issues (the default), or events, of which words and levels are asked themselves. */
  over?: 'events'
}

/** Conditions that must hold together; an absent one holds for everything. */
export type Branch = { issue?: IssueFilter; event?: EventFilter; projectIds?: number[]; fromMs?: number; toMs?: number }

/** A query, split by who can answer it: what is asked for meets any branch. No branch: nothing meets it. */
export type Plan = { branches: Branch[] }

const branchesMax = 16

/**
 * Splits a parsed query (undefined: everything) into branches. Throws QUERY_TOO_LONG when issue and event conditions are
 * mixed in too many ways, or when it asks for more than one process may be kept busy with (plan-bounds.ts).
 */
export function planOf(search: Search | undefined, names: Names): Plan {
  if (search === undefined) return { branches: [{}] }
  demandFewComparisons(search, names.releases)
  const branches = build(search, false, names)
  demandFewTexts(branches.flatMap((branch) => branch.issue ?? []))
  demandFewPatterns(branches.flatMap((branch) => branch.event ?? []))
  return { branches }
}

/** `negate` is pushed down to the leaves, so that a branch only ever joins conditions. */
function build(node: Search, negate: boolean, names: Names): Branch[] {
  if (node.op === 'not') return build(node.of, !negate, names)
  if ('of' in node) {
    const parts = node.of.map((item) => build(item, negate, names))
    return (node.op === 'and') !== negate ? parts.reduce(both, [{}]) : either(parts.flat())
  }
  return leaf(node, negate, names)
}

/** Every pair of a branch of one and a branch of the other. */
function both(left: Branch[], right: Branch[]): Branch[] {
  const made = left.flatMap((a) => right.map((b) => join(a, b)))
  return limited(made.filter((item): item is Branch => item !== undefined))
}

function join(a: Branch, b: Branch): Branch | undefined {
  const made: Branch = { ...a, ...b }
  if (a.issue && b.issue) made.issue = { op: 'and', of: [...flat(a.issue, 'and'), ...flat(b.issue, 'and')] }
  if (a.event && b.event) made.event = { op: 'and', of: [...flatEvent(a.event, 'and'), ...flatEvent(b.event, 'and')] }
  if (a.projectIds && b.projectIds) {
    const wanted = new Set(b.projectIds)
    made.projectIds = a.projectIds.filter((item) => wanted.has(item))
  }
  if (a.fromMs !== undefined && b.fromMs !== undefined) made.fromMs = Math.max(a.fromMs, b.fromMs)
  if (a.toMs !== undefined && b.toMs !== undefined) made.toMs = Math.min(a.toMs, b.toMs)
  return made.projectIds?.length === 0 ? undefined : made
}

const flat = (filter: IssueFilter, op: 'and' | 'or'): IssueFilter[] => (filter.op === op ? filter.of : [filter])
const flatEvent = (filter: EventFilter, op: 'and' | 'or'): EventFilter[] => (filter.op === op ? filter.of : [filter])
const onlyIssue = (branch: Branch): IssueFilter | undefined =>
  branch.issue && Object.keys(branch).length === 1 ? branch.issue : undefined
const onlyEvent = (branch: Branch): EventFilter | undefined =>
  branch.event && Object.keys(branch).length === 1 ? branch.event : undefined

/** Branches of one kind are folded into one, so that only real mixtures cost a query of their own. */
function either(branches: Branch[]): Branch[] {
  if (branches.some((branch) => Object.keys(branch).length === 0)) return [{}]
  const issues = branches.map(onlyIssue).filter((item): item is IssueFilter => item !== undefined)
  const events = branches.map(onlyEvent).filter((item): item is EventFilter => item !== undefined)
  const mixed = branches.filter((branch) => !onlyIssue(branch) && !onlyEvent(branch))
  const [issue] = issues
  const [event] = events
  const made = [...mixed]
  if (issue)
    made.push({ issue: issues.length === 1 ? issue : { op: 'or', of: issues.flatMap((item) => flat(item, 'or')) } })
  if (event)
    made.push({
      event: events.length === 1 ? event : { op: 'or', of: events.flatMap((item) => flatEvent(item, 'or')) },
    })
  return limited(made)
}

function limited(branches: Branch[]): Branch[] {
  if (branches.length > branchesMax)
    throw new MishapError('QUERY_TOO_LONG', {
      detail: `Invalid query: it joins conditions on issues and on events in more than ${branchesMax} ways.`,
    })
  return branches
}

/** One empty branch holds for everything, no branch for nothing. */
const truth = (value: boolean): Branch[] => (value ? [{}] : [])
const issueIs = (filter: IssueFilter, negate: boolean): Branch[] => [
  { issue: negate ? { op: 'not', of: filter } : filter },
]
const eventIs = (filter: EventFilter, negate: boolean): Branch[] => [
  { event: negate ? { op: 'not', of: filter } : filter },
]

function leaf(term: Term, negate: boolean, names: Names): Branch[] {
  const frames = framesAsked(term)
  if (frames) return eventIs(frames, negate)
  switch (term.op) {
    case 'measure':
      // Durations and aggregates are of spans and transactions: no error event has one.
      return truth(negate)
    case 'text':
      return textAsked(term, negate, names)
    case 'is':
      return stateOf(term.value, negate)
    case 'flag':
      return flagOf(term.key, term.value, negate, names)
    case 'has':
      return hasOf(term.key, term.tag, negate, names)
    case 'number':
      return numberOf(term, negate, names)
    case 'date':
      return dateOf(term, negate, names)
    case 'match':
      return matchOf(term, negate, names)
  }
}

/** Free text. A pasted event id finds its event or its issue, and not only texts that contain it. */
function textAsked(term: Text, negate: boolean, names: Names): Branch[] {
  const text = names.over === 'events' ? eventIs(wordsOf(term), negate) : issueIs(textOf(term), negate)
  const value = pastedEventId(term)
  if (value === undefined) return text
  const event = eventIs({ op: 'field', field: 'event_id', match: 'is', value }, negate)
  return negate ? both(text, event) : either([...text, ...event])
}

const anyIssue = (of: IssueFilter[]): IssueFilter => (of.length === 1 && of[0] ? of[0] : { op: 'or', of })
const anyEvent = (of: EventFilter[]): EventFilter => (of.length === 1 && of[0] ? of[0] : { op: 'or', of })

function stateOf(value: string, negate: boolean): Branch[] {
  if (value === 'unresolved' || value === 'resolved') return issueIs({ op: 'status', value }, negate)
  if (value === 'archived' || value === 'ignored') return issueIs({ op: 'status', value: 'ignored' }, negate)
  // An archived issue that says nothing more stays so for ever.
  if (value === 'archived_forever') {
    const forever: IssueFilter[] = ['archived_forever', ''].map((item) => ({ op: 'substatus', value: item }))
    const of: IssueFilter[] = [
      { op: 'status', value: 'ignored' },
      { op: 'or', of: forever },
    ]
    return issueIs({ op: 'and', of }, negate)
  }
  if (value === 'assigned') return issueIs({ op: 'assigned', userId: 'any' }, negate)
  if (value === 'unassigned') return issueIs({ op: 'assigned', userId: null }, negate)
  if (value === 'noise') return issueIs({ op: 'noise' }, negate)
  if (value === 'linked' || value === 'unlinked') return truth((value === 'unlinked') !== negate)
  if (value === 'for_review') {
    const fresh: IssueFilter[] = ['new', 'regressed', 'escalating'].map((item) => ({ op: 'substatus', value: item }))
    return issueIs(
      {
        op: 'and',
        of: [
          { op: 'status', value: 'unresolved' },
          { op: 'or', of: fresh },
        ],
      },
      negate,
    )
  }
  return issueIs({ op: 'substatus', value }, negate)
}

/** Whether somebody caught it; what else is on or off is asked of the frames. */
function flagOf(key: string, value: boolean, negate: boolean, names: Names): Branch[] {
  const unhandled = (key === 'error.unhandled') === value
  return names.over === 'events'
    ? eventIs({ op: 'tag', key: 'handled', match: 'is', value: unhandled ? 'no' : 'yes' }, negate)
    : issueIs({ op: 'unhandled', value: unhandled }, negate)
}

const eventFields = {
  environment: 'environment',
  release: 'release',
  transaction: 'transaction',
  trace: 'trace_id',
  digest: 'digest',
  id: 'event_id',
  message: 'message',
} as const
type EventKey = keyof typeof eventFields
type EventField = Extract<EventFilter, { op: 'field' }>['field']
/** What an event has of its own where issues are listed by their state. */
const ownFields: Record<string, EventField> = {
  level: 'level',
  platform: 'platform',
  'error.type': 'type',
  // The values stand in the message, with their types in front.
  'error.value': 'message',
}
/** Fields that stand among the tags, by the names of those. */
const tagFields: Record<string, string[]> = {
  dist: ['dist'],
  url: ['url'],
  user: ['user'],
  'error.mechanism': ['mechanism'],
}
/** A version stands behind its name in a tag: `browser` is "Chrome 120.0". */
const versionTags: Record<string, string[]> = { 'browser.version': ['browser'], 'os.version': ['os', 'client_os'] }
const named = <Value>(record: Record<string, Value>, key: string): Value | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined
const issueFields = {
  level: 'level',
  title: 'title',
  culprit: 'culprit',
  platform: 'platform',
  logger: 'logger',
  'error.type': 'errorType',
  'error.value': 'errorValue',
  firstRelease: 'firstRelease',
  lastRelease: 'lastRelease',
} as const
type IssueKey = keyof typeof issueFields
const isEventKey = (key: string): key is EventKey => Object.hasOwn(eventFields, key)
const isIssueKey = (key: string): key is IssueKey => Object.hasOwn(issueFields, key)

function hasOf(key: string, tag: boolean, negate: boolean, names: Names): Branch[] {
  const tags = (keys: string[]) => eventIs(anyEvent(keys.map((item) => hasTag(item))), negate)
  if (tag) return tags([key])
  if (isUnmet(key)) return truth(negate)
  if (names.over === 'events') {
    const own = named(ownFields, key)
    if (own) return eventIs({ op: 'field', field: own, match: 'has', value: '' }, negate)
    if (key === 'logger') return tags([key])
  }
  if (isEventKey(key)) return eventIs({ op: 'field', field: eventFields[key], match: 'has', value: '' }, negate)
  if (isIssueKey(key)) return issueIs({ op: 'field', field: issueFields[key], match: 'is', value: '' }, !negate)
  if (key === 'assigned' || key === 'assigned_or_suggested')
    return assignedTo([{ text: 'any', wild: false }], negate, names, key !== 'assigned')
  const kind = named(userKeys, key)
  if (kind !== undefined) return eventIs(hasUser(key, kind), negate)
  if (key.startsWith('release.')) return eventIs({ op: 'field', field: 'release', match: 'has', value: '' }, negate)
  const keys = named(tagFields, key) ?? named(versionTags, key)
  return keys ? tags(keys) : truth(!negate)
}

/** The tag `user` holds who was hit with its kind in front, such as id:42; what else is known of them has tags of its own. */
const hasUser = (key: string, kind: string): EventFilter =>
  anyEvent([hasTag(key), { op: 'tag', key: 'user', match: 'like', value: `${kind}:*` }])
const hasTag = (key: string): EventFilter => ({ op: 'tag', key, match: 'has', value: '' })

const opposite = { '<': '>=', '<=': '>', '>': '<=', '>=': '<' } as const

function numberOf(term: Term & { op: 'number' }, negate: boolean, names: Names): Branch[] {
  const { compare, value } = term
  if (term.tag) return eventIs({ op: 'tagNumber', key: term.key, compare, value }, negate)
  if (term.key === 'timesSeen') return issueIs({ op: 'number', field: 'count', compare, value }, negate)
  if (term.key === 'issue.id') return issueIs({ op: 'number', field: 'id', compare, value }, negate)
  if (term.key !== 'project.id') return truth(negate)
  const meets = (id: number) =>
    compare === '='
      ? id === value
      : compare === '<'
        ? id < value
        : compare === '<='
          ? id <= value
          : compare === '>'
            ? id > value
            : id >= value
  return inProjects(names.projectIds.filter((id) => meets(id) !== negate))
}

const inProjects = (projectIds: number[]): Branch[] => (projectIds.length ? [{ projectIds }] : [])

function dateOf(term: Term & { op: 'date' }, negate: boolean, names: Names): Branch[] {
  const value = 'atMs' in term.moment ? term.moment.atMs : names.nowMs - term.moment.agoMs
  if (term.key !== 'timestamp')
    return issueIs(
      { op: 'number', field: term.key === 'lastSeen' ? 'lastSeen' : 'firstSeen', compare: term.compare, value },
      negate,
    )
  if (term.compare === '=') return truth(!negate)
  const compare = negate ? opposite[term.compare] : term.compare
  return [compare === '>' || compare === '>=' ? { fromMs: value } : { toMs: value }]
}

const priorities: Record<string, NonNullable<Issue['priority']>> = { high: 'high', medium: 'medium', low: 'low' }

const isLatest = (wanted: Wanted) => wanted.text.toLowerCase() === 'latest' && !wanted.wild

/** Values of which `latest`, which no release may be called, stands for the latest releases. */
function withLatest(values: Wanted[], names: Names): Wanted[] {
  const others = values.filter((item) => !isLatest(item))
  if (others.length === values.length) return values
  return [...names.latestReleases().map((text) => ({ text, wild: false })), ...others]
}

function matchOf(term: Term & { op: 'match' }, negate: boolean, names: Names): Branch[] {
  const { key } = term
  if (term.tag) return tagOf(key, term.values, negate)
  const isRelease = key === 'release' || key === 'firstRelease' || key === 'lastRelease'
  const values = isRelease ? withLatest(term.values, names) : term.values
  if (values.length === 0) return truth(negate)
  // No error has it, so what is asked to be without it is all of them.
  if (isUnmet(key)) return truth(values.some((item) => item.text === '') !== negate)
  if (names.over === 'events') {
    const own = named(ownFields, key)
    if (own) return eventIs(anyEvent(values.map((item) => ownField(key, own, item))), negate)
    if (key === 'logger') return tagOf(key, values, negate)
  }
  if (isIssueKey(key)) {
    const field = issueFields[key]
    return issueIs(
      anyIssue(values.map((item) => ({ op: 'field', field, match: item.wild ? 'like' : 'is', value: item.text }))),
      negate,
    )
  }
  if (isEventKey(key)) return eventIs(anyEvent(values.map((item) => eventField(eventFields[key], item))), negate)
  switch (key) {
    case 'issue':
      return issueIs(
        anyIssue(
          values.map((item) => ({
            op: 'field',
            field: 'shortId',
            match: item.wild ? 'like' : 'is',
            value: item.text.toUpperCase(),
          })),
        ),
        negate,
      )
    case 'assigned':
    case 'assigned_or_suggested':
      return assignedTo(values, negate, names, key !== 'assigned')
    case 'event.type':
      return kinds(values, negate)
    case 'issue.category':
    case 'issue.type':
      if (values.some((value) => value.text === 'error')) return truth(!negate)
      return values.some((value) => value.text === 'feedback') ? issueIs({ op: 'feedback' }, negate) : truth(negate)
    case 'issue.priority': {
      const of = values.flatMap((item) => named(priorities, item.text.toLowerCase()) ?? [])
      return anyIssueIs(
        of.map((value) => ({ op: 'priority', value })),
        negate,
      )
    }
    case 'bookmarks':
    case 'subscribed':
      return ofPerson(key, values, negate, names)
    case 'project': {
      const wanted = new Set(values.flatMap((item) => names.projectIdsOf(item)))
      return inProjects(names.projectIds.filter((id) => wanted.has(id) !== negate))
    }
    case 'release.package':
    case 'release.version':
    case 'release.build':
      return releasesOf(key, values, negate, names)
    default:
      return inTags(key, values, negate)
  }
}

/** Fields that stand among the tags; of another one with an empty value: "not set". */
function inTags(key: string, values: Wanted[], negate: boolean): Branch[] {
  const versions = named(versionTags, key)
  if (versions) {
    const behind = values.map((item) => (item.text === '' ? item : placed(item, 'EndsWith')))
    const spaced = behind.map((item) => (item.wild ? { ...item, text: `* ${item.text.slice(1)}` } : item))
    return eventIs(anyEvent(versions.flatMap((tag) => spaced.map((item) => tagIs(tag, item)))), negate)
  }
  const [tag] = named(tagFields, key) ?? []
  if (tag) return tagOf(tag, values, negate)
  return values.every((item) => item.text === '') && named(userKeys, key) === undefined
    ? truth(negate)
    : tagOf(key, values, negate)
}

/** The releases of which a part is one of the values; at most 1,000 of each project are looked at. */
function releasesOf(key: string, values: Wanted[], negate: boolean, names: Names): Branch[] {
  const part = key.slice('release.'.length) as ReleasePart
  const meets = values.map((item) => releaseMeets(part, item))
  const found = names.releases().filter((release) => meets.some((meet) => meet(release)))
  return found.length ? eventIs({ op: 'releases', values: found.map((item) => item.release) }, negate) : truth(negate)
}

const kindOfType: Record<string, string> = { error: 'error', default: 'message', message: 'message', csp: 'csp' }

function kinds(values: Wanted[], negate: boolean): Branch[] {
  const of = values.flatMap((item) => (Object.hasOwn(kindOfType, item.text) ? [kindOfType[item.text] ?? ''] : []))
  return anyIssueIs(
    of.map((value) => ({ op: 'field', field: 'kind', match: 'is', value })),
    negate,
  )
}

/** Nothing meets none of the values. */
const anyIssueIs = (of: IssueFilter[], negate: boolean): Branch[] =>
  of.length ? issueIs(anyIssue(of), negate) : truth(negate)

/** Who is meant: the one who asks, or whoever has this address. */
const personOf = (text: string, names: Names): string | undefined =>
  text.toLowerCase() === 'me' ? names.meUserId : names.userIdOf(text.replace(/^user:/, ''))

const ofPersons = { bookmarks: 'bookmarked', subscribed: 'subscribed' } as const

function ofPerson(key: keyof typeof ofPersons, values: readonly Wanted[], negate: boolean, names: Names): Branch[] {
  const of = values.flatMap((item) => personOf(item.text, names) ?? [])
  return anyIssueIs(
    of.map((userId) => ({ op: ofPersons[key], userId })),
    negate,
  )
}

/** `suggested`: of an issue that nobody is assigned to, whom the rules of ownership suggest counts. */
function assignedTo(values: Wanted[], negate: boolean, names: Names, suggested: boolean): Branch[] {
  const nobody: IssueFilter = { op: 'assigned', userId: null }
  const made = values.flatMap((item): IssueFilter[] => {
    const word = item.text.toLowerCase()
    if (word === 'none' || word === '')
      return suggested ? [{ op: 'and', of: [nobody, { op: 'not', of: { op: 'suggested', userId: 'any' } }] }] : [nobody]
    const userId = word === 'any' ? word : personOf(item.text, names)
    if (userId === undefined) return []
    const own: IssueFilter = { op: 'assigned', userId }
    return suggested ? [own, { op: 'and', of: [nobody, { op: 'suggested', userId }] }] : [own]
  })
  return anyIssueIs(made, negate)
}

const userKeys: Record<string, string> = {
  'user.id': 'id',
  'user.email': 'email',
  'user.username': 'username',
  'user.ip': 'ip',
  'user.ip_address': 'ip',
}

function tagOf(key: string, values: Wanted[], negate: boolean): Branch[] {
  const kind = named(userKeys, key)
  const filters = values.flatMap((item): EventFilter[] => {
    const own = tagIs(key, item)
    if (kind === undefined) return [own]
    if (item.text === '') return [{ op: 'not', of: hasUser(key, kind) }]
    return [own, tagIs('user', { ...item, text: `${kind}:${item.text}` })]
  })
  return eventIs(anyEvent(filters), negate)
}

/** What a row has of its own. Of the message a part is asked for: the value stands in it beside others. */
const ownField = (key: string, field: EventField, wanted: Wanted): EventFilter =>
  key === 'error.value' && wanted.text !== ''
    ? { op: 'field', field, match: 'like', value: contained({ value: wanted.text, wild: wanted.wild }) }
    : eventField(field, wanted)

function tagIs(key: string, wanted: Wanted): EventFilter {
  if (wanted.text === '') return { op: 'not', of: hasTag(key) }
  return { op: 'tag', key, match: wanted.wild ? 'like' : 'is', value: wanted.text }
}

function eventField(field: EventField, wanted: Wanted): EventFilter {
  if (wanted.text === '') return { op: 'not', of: { op: 'field', field, match: 'has', value: '' } }
  if (field === 'message')
    return wanted.wild ? { op: 'field', field, match: 'like', value: wanted.text } : { op: 'text', value: wanted.text }
  const value =
    field === 'event_id' || field === 'trace_id' ? wanted.text.replaceAll('-', '').toLowerCase() : wanted.text
  return { op: 'field', field, match: wanted.wild ? 'like' : 'is', value }
}
