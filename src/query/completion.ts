import type { QueryDeps, View } from './issue.ts'
import { newestReleases } from './latest.ts'
import { fieldOf } from './search/keys.ts'
import { frameKeyOf } from './search/plan-frames.ts'

/** A value to complete with; `events` is null where nothing is counted. */
export type Completion = { value: string; events: number | null }

/** Columns of events that have a field's values, where its name is no tag. */
const columns = { platform: 'platform', 'error.type': 'type', transaction: 'transaction', release: 'release' } as const
/** Tags that have a field's values, where their names differ. */
const tags: Record<string, string> = { 'error.mechanism': 'mechanism' }
/** A version stands behind its name in a tag: `browser` is "Chrome 120.0". */
const versions: Record<string, string> = { 'browser.version': 'browser', 'os.version': 'os' }
const priorities = ['high', 'medium', 'low']

const named = <Value>(record: Record<string, Value>, key: string): Value | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined

const isColumn = (key: string): key is keyof typeof columns => Object.hasOwn(columns, key)

function listed(values: readonly string[], text: string, max: number): Completion[] {
  const wanted = text.toLowerCase()
  return [...new Set(values)]
    .filter((item) => item !== '' && item.toLowerCase().includes(wanted))
    .slice(0, max)
    .map((value) => ({ value, events: null }))
}

/** Names with versions that are looked at for the versions. */
const versionsMax = 1000

/** The versions of names with versions, each once. */
function behindNames(values: readonly { value: string; events: number }[], text: string, max: number): Completion[] {
  const sums = new Map<string, number>()
  for (const { value, events } of values) {
    const version = /^.* (\S+)$/.exec(value)?.[1]
    if (version?.toLowerCase().includes(text.toLowerCase())) sums.set(version, (sums.get(version) ?? 0) + events)
  }
  const found = [...sums].map(([value, events]) => ({ value, events }))
  return found.sort((a, b) => b.events - a.events || (a.value < b.value ? -1 : 1)).slice(0, max)
}

/** What is no text of an event: people, projects, releases that are compared by their parts. */
function known(deps: QueryDeps, view: View, key: string, mayPeople: boolean): string[] | undefined {
  const projectIds = view.projects.map((project) => project.id)
  switch (key) {
    case 'project':
      return view.projects.map((project) => project.slug).sort()
    case 'issue.priority':
      return priorities
    case 'assigned':
    case 'assigned_or_suggested': {
      const ids = mayPeople ? deps.meta.membersOf(view.organization.id).map((member) => member.userId) : []
      const people = deps.meta.people(ids).map((person) => person.email)
      return ['me', 'none', 'any', ...people.sort()]
    }
    case 'firstRelease':
    case 'lastRelease':
      return ['latest', ...newestReleases(deps.meta, projectIds)]
    default:
      return undefined
  }
}

/**
 * Values that complete a key of the search language, most events first: of tags and columns those of the view's newest
 * events. `text`: what they contain, whatever its case. `mayPeople`: whether the caller may see who is a member. `signal`: of
 * the caller, as the next letter asks anew. Of fields whose values nobody lists (titles, numbers, dates) none. Throws
 * STORE_UNAVAILABLE, QUERY_TIMEOUT.
 */
export async function completionsOf(
  deps: QueryDeps,
  view: View,
  {
    key,
    text,
    max,
    mayPeople,
    signal,
  }: { key: string; text: string; max: number; mayPeople: boolean; signal: AbortSignal },
): Promise<Completion[]> {
  const inTags = /^tags\[(.{1,200})\]$/.exec(key)?.[1]
  const field = inTags === undefined ? fieldOf(key) : undefined
  const name = field?.name ?? inTags ?? key
  const list = field && known(deps, view, name, mayPeople)
  if (list) return listed(list, text, max)
  const scope = {
    projectIds: view.projects.map((project) => project.id),
    environments: view.environments,
    fromMs: view.range.fromMs,
    toMs: view.range.toMs,
  }
  if (field && isColumn(name)) return deps.events.columnValues(scope, columns[name], { text, max, signal })
  if (field && field.type !== 'text') return []
  const ofFrames = field && frameKeyOf(name)
  if (ofFrames) return deps.events.frameValues(scope, ofFrames, { text, max, signal })
  const tag = field && named(versions, name)
  if (tag) return behindNames(await deps.events.tagValues(scope, tag, versionsMax, text, signal), text, max)
  const values = await deps.events.tagValues(scope, (field && named(tags, name)) ?? name, max, text, signal)
  return values.filter((item) => item.value !== '')
}
