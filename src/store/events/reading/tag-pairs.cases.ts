import type { ClickHouseClient } from '@clickhouse/client'
import { expect, test } from 'vitest'
import type { EventStore } from '../event-store.ts'
import { monday, row, tsv } from '../events.cases.ts'
import type { EventFilter } from '../events.ts'

/** Cases of patterns that are looked up in the index of tags. `client` asks the engine of the store. */
export function tagPairCases(store: () => EventStore, client: ClickHouseClient): void {
  const projectId = 7093
  const hour = 3_600_000
  const hash = (n: number) => n.toString(16).padStart(16, '0')
  /** Group 1 to 6: one event each. The last one is stored after the index was built. */
  const tags: Record<string, string>[] = [
    { shop: '71', plan: 'pro' },
    { shop: '81', plan: 'pro' },
    { shop: 'Ä7=x', plan: 'free' },
    { 'shop=7': 'x' },
    { plan: 'free' },
    { shop: '7b', plan: 'pro' },
  ]
  const rows = tags.map((own, at) =>
    row(49_000 + at, {
      projectId,
      groupHash: hash(at + 1),
      timestampUs: (monday - 3 * hour) * 1000,
      receivedMs: monday - 3 * hour,
      tags: own,
    }),
  )
  const like = (value: string): EventFilter => ({ op: 'tag', key: 'shop', match: 'like', value })

  test('a pattern finds the same rows by the index as by their tags, before and after a merge', async () => {
    await store().insert('events', tsv(rows.slice(0, 5)), 'pairs:1')
    await client.command({ query: 'OPTIMIZE TABLE mishap.events FINAL' })
    await store().insert('events', tsv(rows.slice(5)), 'pairs:2')
    const indexed = await client.query({
      query:
        "SELECT token FROM mergeTreeTextIndex(mishap, events, tagkv) WHERE startsWith(token, 'shop=') ORDER BY token",
      format: 'JSONEachRow',
    })
    expect((await indexed.json<{ token: string }>()).map(({ token }) => token)).toEqual([
      'shop=71',
      'shop=7=x',
      'shop=81',
      'shop=Ä7=x',
    ])
    const scope = { projectIds: [projectId], environments: [], fromMs: monday - 480 * hour, toMs: monday }
    const found = async (filter: EventFilter) => {
      const all = await store().groups({ scope, filter, order: 'events', max: 9 })
      const { groups } = await store().newestGroups({ scope, filter, first: 9, max: 9 })
      expect(groups.map((group) => group.groupHash).sort()).toEqual(all.map((group) => group.groupHash))
      return all.map((group) => Number.parseInt(group.groupHash, 16))
    }
    for (const [filter, expected] of [
      [like('7*'), [1, 6]],
      // A key with an equals sign is another key.
      [like('7=*'), []],
      [like('ä7*'), [3]],
      [like('*1'), [1, 2]],
      [like('9*'), []],
      [{ op: 'not', of: like('9*') }, [1, 2, 3, 4, 5, 6]],
      [{ op: 'not', of: like('7*') }, [2, 3, 4, 5]],
      [{ op: 'or', of: [like('8*'), { op: 'tag', key: 'plan', match: 'is', value: 'free' }] }, [2, 3, 5]],
      [{ op: 'and', of: [like('7*'), { op: 'tag', key: 'plan', match: 'like', value: 'P*' }] }, [1, 6]],
    ] as [EventFilter, number[]][])
      expect([filter, await found(filter)]).toEqual([filter, expected])
  })
}
