import type { RestTombstone } from '../contract/removals.ts'
import type { MetaStore } from '../store/meta/meta.ts'

/** Issues of a project that were deleted for good, the newest first; each with the short id, title and culprit that it had. */
export function tombstonesOf(meta: Pick<MetaStore, 'discardedOf' | 'people'>, projectId: number): RestTombstone[] {
  const rows = meta.discardedOf(projectId)
  const people = new Map(
    meta.people([...new Set(rows.flatMap((row) => row.userId ?? []))]).map((person) => [person.id, person]),
  )
  const found = [...Map.groupBy(rows, (item) => item.shortId)].map(([id, own]): RestTombstone => {
    const [first] = own
    const person = people.get(first?.userId ?? '')
    return {
      id,
      title: first?.title ?? '',
      culprit: first?.culprit ?? '',
      hashes: own.map((item) => item.hash),
      actor: person ? { id: person.id, name: person.name, email: person.email } : null,
      dateCreated: new Date(first?.createdMs ?? 0).toISOString(),
    }
  })
  return found.sort((a, b) => (a.dateCreated < b.dateCreated ? 1 : -1))
}
