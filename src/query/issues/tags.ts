import type { RestTag } from '../../contract/issues.ts'
import type { TagCount } from '../../domain/event.ts'
import type { Scope } from '../../store/events/events.ts'
import type { Issue } from '../../store/meta/meta.ts'
import type { QueryDeps } from './issue.ts'
import { tagEventsMax } from './issue.ts'

/** Converts a tag with its distribution to the API's shape. */
export function toRestTag(tagCount: TagCount, valuesMax: number): RestTag {
  return {
    key: tagCount.key,
    name: tagCount.key,
    totalValues: tagCount.total,
    uniqueValues: tagCount.unique,
    topValues: tagCount.values.slice(0, valuesMax).map(({ value, events }) => ({ value, name: value, count: events })),
  }
}

/** Returns every tag (or `key`) of an issue's newest 5,000 events, largest total first. Throws STORE_UNAVAILABLE. */
export async function tagsOfIssue(
  deps: QueryDeps,
  issue: Issue,
  scope: Scope,
  valuesMax = 10,
  key?: string,
): Promise<RestTag[]> {
  const hashes = (await deps.meta.issues.hashesOf([issue.id])).get(issue.id) ?? []
  if (hashes.length === 0) return []
  const found = await deps.events.tagsOf({ projectId: issue.projectId, hashes, scope, max: tagEventsMax, valuesMax })
  return found.filter((item) => key === undefined || item.key === key).map((item) => toRestTag(item, valuesMax))
}
