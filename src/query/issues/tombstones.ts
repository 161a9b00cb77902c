import type { RestTombstone } from '../../contract/removals.ts'
import type { MetaWith } from '../../store/meta/meta-store.ts'

/** Returns the permanently deleted issues of a project, newest first, with their former short id, title and culprit. */
export async function tombstonesOf(
  meta: MetaWith<'retention.discardedOf' | 'people.people'>,
  projectId: number,
): Promise<RestTombstone[]> {
  const rows = await meta.retention.discardedOf(projectId)
  const people = new Map(
    (await meta.people.people([...new Set(rows.flatMap((row) => row.userId ?? []))])).map((person) => [
      person.id,
      person,
    ]),
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
