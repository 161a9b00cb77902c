import type { Scope } from '../store/events/events.ts'
import type { QueryDeps, View } from './issues/issue.ts'
import { newestReleases } from './latest.ts'
import type { KeySource, SearchKey, UserPart } from './search/key.ts'
import { searchKeyOf } from './search/lookup.ts'
import { splitRelease } from './search/release-parts.ts'

/** A value that completes a key. `events` is null if the values are not counted. */
type Completion = { value: string; events: number | null }

type Counted = { value: string; events: number }

/** A request to the stores: at most `max` values that contain `text`. Case is ignored. */
type Request = { text: string; max: number; signal: AbortSignal }

/** Limit of tag values that are read and then split: names with versions, and users. */
const readMax = 1000

const contains = (value: string, text: string): boolean => value.toLowerCase().includes(text.toLowerCase())

/** Values without counts that contain the text, each once. */
function listed(values: readonly string[], { text, max }: Request): Completion[] {
  return [...new Set(values)]
    .filter((value) => value !== '' && contains(value, text))
    .slice(0, max)
    .map((value) => ({ value, events: null }))
}

/** Adds up the counts of equal values, most events first. */
function summed(values: readonly Counted[], max: number): Counted[] {
  const sums = new Map<string, number>()
  for (const { value, events } of values) if (value !== '') sums.set(value, (sums.get(value) ?? 0) + events)
  const all = [...sums].map(([value, events]) => ({ value, events }))
  return all.sort((a, b) => b.events - a.events || (a.value < b.value ? -1 : 1)).slice(0, max)
}

/** Values of any of these tags. */
async function tagValues(
  deps: QueryDeps,
  scope: Scope,
  tags: readonly string[],
  { text, max, signal }: Request,
): Promise<Counted[]> {
  const values = await Promise.all(tags.map((tag) => deps.events.tagValues(scope, tag, max, text, signal)))
  return values.flat()
}

/** Returns the versions after the names in these tags: `120.0` of "Chrome 120.0". */
async function versions(deps: QueryDeps, scope: Scope, tags: readonly string[], request: Request): Promise<Counted[]> {
  const values = await tagValues(deps, scope, tags, { ...request, max: readMax })
  return values
    .map(({ value, events }) => ({ value: /^.* (\S+)$/.exec(value)?.[1] ?? '', events }))
    .filter(({ value }) => contains(value, request.text))
}

/** Returns values of a user field: from its own tag, and from the tag `user`, which has the field as a prefix. */
async function usersOf(deps: QueryDeps, scope: Scope, part: UserPart, request: Request): Promise<Counted[]> {
  const [named, users] = await Promise.all([
    tagValues(deps, scope, [`user.${part}`], request),
    tagValues(deps, scope, ['user'], { ...request, max: readMax }),
  ])
  const prefix = `${part}:`
  const prefixed = users
    .filter(({ value }) => value.startsWith(prefix))
    .map(({ value, events }) => ({ value: value.slice(prefix.length), events }))
  return [...named, ...prefixed.filter(({ value }) => contains(value, request.text))]
}

/** Columns whose values the store can list. Other event columns have a tag with the same name and values. */
const columns = { platform: 'platform', type: 'type', transaction: 'transaction', release: 'release' } as const
const isListed = (column: string): column is keyof typeof columns => Object.hasOwn(columns, column)

/** Returns the stored values of a key's source, most events first. Throws STORE_UNAVAILABLE, QUERY_TIMEOUT. */
async function stored(deps: QueryDeps, view: View, source: KeySource, request: Request): Promise<Completion[]> {
  const projectIds = view.projects.map((project) => project.id)
  const { fromMs, toMs } = view.range
  const scope = { projectIds, environments: view.environments, fromMs, toMs }
  switch (source.in) {
    case 'event':
      return isListed(source.column)
        ? deps.events.columnValues(scope, columns[source.column], request)
        : summed(await tagValues(deps, scope, [source.column], request), request.max)
    case 'frames':
      return deps.events.frameValues(scope, source.key, request)
    case 'tags':
      return summed(await tagValues(deps, scope, source.tags, request), request.max)
    case 'versions':
      return summed(await versions(deps, scope, source.tags, request), request.max)
    case 'user':
      return summed(await usersOf(deps, scope, source.part, request), request.max)
    case 'release':
      return listed(
        (await newestReleases(deps.meta, projectIds)).map((release) => splitRelease(release)[source.part]),
        request,
      )
    default:
      return []
  }
}

/** Returns the members' e-mail addresses, if the caller can see them. */
async function matchingPeople(deps: QueryDeps, view: View, mayPeople: boolean): Promise<string[]> {
  const ids = mayPeople
    ? (await deps.meta.organizations.membersOf(view.organization.id)).map((member) => member.userId)
    : []
  return (await deps.meta.people.people(ids)).map((person) => person.email).sort()
}

async function valuesOf(
  deps: QueryDeps,
  view: View,
  { values, source, eventSource }: SearchKey,
  mayPeople: boolean,
  request: Request,
): Promise<Completion[]> {
  switch (values) {
    case 'people':
      return listed(await matchingPeople(deps, view, mayPeople), request)
    case 'projects':
      return listed(view.projects.map((project) => project.slug).sort(), request)
    case 'releases':
      return listed(
        await newestReleases(
          deps.meta,
          view.projects.map((project) => project.id),
        ),
        request,
      )
    case 'stored':
      return stored(deps, view, eventSource ?? source, request)
    default:
      return []
  }
}

/**
 * Returns values that complete a key of the search language, as defined in the table of keys: its words, then its
 * values with the most events first. A key outside the table is a tag. Returns none for keys without listed values.
 * `text` is a part of the values; case is ignored. `max` limits the answer. `mayPeople`: the caller can see the
 * members. `signal` aborts the query when the caller types on. Throws STORE_UNAVAILABLE, QUERY_TIMEOUT.
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
  const request = { text, max, signal }
  const tag = /^tags\[(.{1,200})\]$/.exec(key)?.[1]
  const searchKey = tag === undefined ? searchKeyOf(key) : undefined
  if (!searchKey) return stored(deps, view, { in: 'tags', tags: [tag ?? key] }, request)
  const words = listed(searchKey.words ?? [], request)
  const values = words.length < max ? await valuesOf(deps, view, searchKey, mayPeople, request) : []
  const wordValues = new Set(words.map((word) => word.value))
  return [...words, ...values.filter(({ value }) => !wordValues.has(value))].slice(0, max)
}
