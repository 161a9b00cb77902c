import type { EventFilter } from '../../store/events/events.ts'
import type { Term, TextPattern } from './ast.ts'
import { anyEvent, anyEventIs, anyIssueIs, type Branch, constantBranch, eventIs, issueIs } from './branches.ts'
import type { SearchContext } from './context.ts'
import { categoryFilters, issueTypeFilters, kindFilters, priorityFilters, userFilters } from './issue-conditions.ts'
import type { KeySource, ReleasePart, UserPart } from './key.ts'
import { contained } from './plan-text.ts'
import { releaseMeets } from './release-parts.ts'
import { placed } from './value.ts'

// Conditions for the stores by the source of a key (key.ts). `negate` inverts the condition.

type EventField = Extract<EventFilter, { op: 'field' }>['field']

const hasField = (field: EventField): EventFilter => ({ op: 'field', field, match: 'has', value: '' })
const hasTag = (key: string): EventFilter => ({ op: 'tag', key, match: 'has', value: '' })
const matchOf = (pattern: TextPattern): 'is' | 'like' => (pattern.wild ? 'like' : 'is')

/** The tag `user` names a user with the field as prefix, such as id:42. Other fields have tags such as user.email. */
const hasUser = (part: UserPart): EventFilter =>
  anyEvent([hasTag(`user.${part}`), { op: 'tag', key: 'user', match: 'like', value: `${part}:*` }])

/** Filter for events that have the key; undefined for a key that events never have, or always have. */
function presentInEvent(source: KeySource): EventFilter | undefined {
  switch (source.in) {
    case 'event':
    case 'eventId':
      return hasField(source.column)
    case 'eventMessage':
      return hasField('message')
    case 'release':
      return hasField('release')
    case 'tags':
    case 'versions':
      return anyEvent(source.tags.map(hasTag))
    case 'user':
      return hasUser(source.part)
    case 'frames':
      return { op: 'frame', key: source.key, match: 'has', value: '' }
    default:
      return undefined
  }
}

/** Condition of `has:` for a key of this source. Keys without a rule here are always present. */
export async function presenceCondition(source: KeySource, negate: boolean, context: SearchContext): Promise<Branch[]> {
  const present = presentInEvent(source)
  if (present) return eventIs(present, negate)
  if (source.in === 'nothing') return constantBranch(negate)
  if (source.in === 'releaseStage') return stageCondition(undefined, negate, context)
  if (source.in === 'issue') return issueIs({ op: 'field', field: source.column, match: 'is', value: '' }, !negate)
  const isAssignee = source.in === 'issuePeople' && source.relation.startsWith('assigned')
  return isAssignee ? anyIssueIs(await userFilters(source.relation, ['any'], context), negate) : constantBranch(!negate)
}

/** Condition on a boolean key. */
export function flagCondition(source: KeySource, value: boolean, negate: boolean): Branch[] {
  switch (source.in) {
    case 'issueUnhandled':
      return issueIs({ op: 'unhandled', value: source.value === value }, negate)
    case 'handled': {
      const falseWhen = source.trueWhen === 'yes' ? 'no' : 'yes'
      return eventIs({ op: 'tag', key: 'handled', match: 'is', value: value ? source.trueWhen : falseWhen }, negate)
    }
    case 'frames':
      return eventIs({ op: 'frame', key: source.key, match: 'is', value: String(value) }, negate)
    default:
      return constantBranch(negate)
  }
}

/** Condition on a key that is compared as a number. */
export function numberCondition(
  source: KeySource,
  { compare, value }: Extract<Term, { op: 'number' }>,
  negate: boolean,
  context: SearchContext,
): Branch[] {
  switch (source.in) {
    case 'issueNumber':
      return issueIs({ op: 'number', field: source.column, compare, value }, negate)
    case 'tags':
      return anyEventIs(
        source.tags.map((key) => ({ op: 'tagNumber', key, compare, value })),
        negate,
      )
    case 'project':
      return inProjects(context.projectIds.filter((id) => meets(id, compare, value) !== negate))
    default:
      return constantBranch(negate)
  }
}

function meets(id: number, compare: Extract<Term, { op: 'number' }>['compare'], value: number): boolean {
  switch (compare) {
    case '=':
      return id === value
    case '<':
      return id < value
    case '<=':
      return id <= value
    case '>':
      return id > value
    case '>=':
      return id >= value
  }
}

const inProjects = (projectIds: number[]): Branch[] => (projectIds.length ? [{ projectIds }] : [])

const opposite = { '<': '>=', '<=': '>', '>': '<=', '>=': '<' } as const

/** Condition on a key that is compared as a date. */
export function dateCondition(
  source: KeySource,
  { compare, moment }: Extract<Term, { op: 'date' }>,
  negate: boolean,
  context: SearchContext,
): Branch[] {
  const value = 'atMs' in moment ? moment.atMs : context.nowMs - moment.agoMs
  if (source.in === 'issueNumber') return issueIs({ op: 'number', field: source.column, compare, value }, negate)
  // The parser turns `=` into a time range, because no event matches an exact moment.
  if (source.in !== 'eventTime' || compare === '=') return constantBranch(!negate)
  const operator = negate ? opposite[compare] : compare
  return [operator === '>' || operator === '>=' ? { fromMs: value } : { toMs: value }]
}

/** Condition that a key has any of these values. An empty value means "not set". */
export async function valuesCondition(
  source: KeySource,
  values: readonly TextPattern[],
  negate: boolean,
  context: SearchContext,
): Promise<Branch[]> {
  if (values.length === 0) return constantBranch(negate)
  const texts = values.map((value) => value.text)
  switch (source.in) {
    // Every event lacks the key, so a search for events without it finds all of them.
    case 'nothing':
      return constantBranch(texts.includes('') !== negate)
    case 'issue':
      return anyIssueIs(
        values.map((value) => ({ op: 'field', field: source.column, match: matchOf(value), value: value.text })),
        negate,
      )
    case 'issueShortId':
      return anyIssueIs(
        values.map((value) => ({
          op: 'field',
          field: 'shortId',
          match: matchOf(value),
          value: value.text.toUpperCase(),
        })),
        negate,
      )
    case 'issuePeople':
      return anyIssueIs(await userFilters(source.relation, texts, context), negate)
    case 'issueKind':
      return anyIssueIs(kindFilters(texts), negate)
    case 'issuePriority':
      return anyIssueIs(priorityFilters(texts), negate)
    case 'issueCategory':
      return anyIssueIs(categoryFilters(texts), negate)
    case 'issueType':
      return anyIssueIs(issueTypeFilters(texts), negate)
    case 'project': {
      const ids = new Set(source.by === 'slug' ? values.flatMap((value) => context.projectIdsOf(value)) : [])
      return inProjects(context.projectIds.filter((id) => ids.has(id) !== negate))
    }
    case 'release':
      return releaseCondition(source.part, values, negate, context)
    case 'releaseStage':
      // An empty value means "not set": the release has no stage.
      return texts.includes('') ? stageCondition(undefined, !negate, context) : stageCondition(texts, negate, context)
    default:
      return anyEventIs(
        values.flatMap((value) => eventFilters(source, value)),
        negate,
      )
  }
}

/** Condition for events of releases with the value in this part. Compares the newest 1,000 releases per project. */
async function releaseCondition(
  part: ReleasePart,
  values: readonly TextPattern[],
  negate: boolean,
  context: SearchContext,
): Promise<Branch[]> {
  const tests = values.map((value) => releaseMeets(part, value))
  const releases = (await context.releases()).filter((release) => tests.some((test) => test(release)))
  return anyEventIs(releases.length ? [{ op: 'releases', values: releases.map(({ release }) => release) }] : [], negate)
}

/** Limit of releases of a condition, those with the most sessions. At most ten of a project are adopted. */
const stagedMax = 5000

/**
 * Condition for events of releases with one of these stages; undefined: any stage. A release can have another stage in
 * each project. Events of other releases, or of none, have no stage.
 */
async function stageCondition(
  stages: readonly string[] | undefined,
  negate: boolean,
  { projectIds, releaseStages }: SearchContext,
): Promise<Branch[]> {
  const found = (await releaseStages()).filter(({ stage }) => stages?.includes(stage) ?? true).slice(0, stagedMax)
  // Sorted, so the condition stays the same while its releases do: rules compare it with the one before.
  const byProject = [...Map.groupBy(found, ({ projectId }) => projectId)].toSorted(([a], [b]) => a - b)
  const filters = byProject.map(([projectId, own]): EventFilter => {
    const releases: EventFilter = { op: 'releases', values: own.map(({ version }) => version).toSorted() }
    return projectIds.length === 1 ? releases : { op: 'and', of: [{ op: 'projects', ids: [projectId] }, releases] }
  })
  return eventIs(filters.length > 0 ? anyEvent(filters) : { op: 'releases', values: [] }, negate)
}

/** Filters for events with this value of a key: any must match. Empty for keys without such values. */
function eventFilters(source: KeySource, value: TextPattern): EventFilter[] {
  const { text } = value
  const present = text === '' ? presentInEvent(source) : undefined
  if (present) return [{ op: 'not', of: present }]
  switch (source.in) {
    case 'event':
      return [{ op: 'field', field: source.column, match: matchOf(value), value: text }]
    case 'eventId':
      return [
        { op: 'field', field: source.column, match: matchOf(value), value: text.replaceAll('-', '').toLowerCase() },
      ]
    case 'eventMessage':
      return [messageFilter(source.match, value)]
    case 'tags':
      return source.tags.map((key) => tagIs(key, value))
    case 'versions': {
      const behindName = placed(value, 'EndsWith')
      return source.tags.map((key) => tagIs(key, { text: `* ${behindName.text.slice(1)}`, wild: true }))
    }
    case 'user':
      return [tagIs(`user.${source.part}`, value), tagIs('user', { text: `${source.part}:${text}`, wild: value.wild })]
    case 'frames':
      return [{ op: 'frame', key: source.key, match: matchOf(value), value: text }]
    default:
      return []
  }
}

const tagIs = (key: string, value: TextPattern): EventFilter => ({
  op: 'tag',
  key,
  match: matchOf(value),
  value: value.text,
})

/** Whole words use the index of the message. Patterns and partial words are compared with each message. */
function messageFilter(match: 'words' | 'part', { text, wild }: TextPattern): EventFilter {
  if (match === 'words' && !wild) return { op: 'text', value: text }
  const value = match === 'words' ? text : contained({ value: text, wild })
  return { op: 'field', field: 'message', match: 'like', value }
}
