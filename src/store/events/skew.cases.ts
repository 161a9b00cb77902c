import { expect, test } from 'vitest'
import type { EventStore } from './event-store.ts'
import { monday, row, tsv } from './events.cases.ts'
import type { EventRow } from './events.ts'

const minute = 60_000
const projectId = 77
const userOf = (n: number) => n.toString(16).padStart(16, '0')

/** Cases for the skew of old tabs, by the rows' tag. */
export function skewCases(open: () => EventStore): void {
  test('skew of a deploy: kinds over time, people who came back and who did not', async () => {
    const store = open()
    const rows: EventRow[] = []
    const add = (user: number, atMinute: number, kind: string, change: Partial<EventRow> = {}) => {
      const tags: Record<string, string> = { browser: 'Firefox', ...(kind === '' ? {} : { 'sign.skew': kind }) }
      rows.push(
        row(9000 + rows.length, {
          projectId,
          userHash: user === 0 ? '' : userOf(user),
          release: 'web@1',
          tags,
          timestampUs: (monday + atMinute * minute) * 1000,
          ...change,
        }),
      )
    }
    add(1, 1, 'chunk')
    add(1, 1.5, '') // caused by the missing script
    add(2, 2, 'chunk')
    add(2, 2.5, '', { release: 'web@2' }) // on the new release: recovered
    add(3, 3, 'rsc')
    add(3, 9, '') // minutes later without skew: recovered
    add(4, 4, 'chunk')
    add(4, 14, 'chunk') // hit again: stuck
    add(5, 5, 'chunk')
    add(5, 8, '', { release: 'web@2' })
    add(5, 12, 'chunk') // recovered, then hit again
    add(0, 6, 'chunk') // unknown user
    add(6, 7, '') // never affected
    add(7, 8, '', { tags: { 'sign.skew.x': 'chunk', skew: 'chunk' } })
    add(1, -5, 'chunk') // before the deploy
    add(8, 6, 'chunk', { environment: 'staging' })
    add(9, 6, 'chunk', { projectId: projectId + 1 })
    await store.insert('events', tsv(rows), 'skew')
    const scope = { projectIds: [projectId], environments: ['production'], fromMs: monday, toMs: monday + 20 * minute }
    const asked = { scope, bucketMs: 10 * minute, lastMs: monday + 10 * minute, release: 'web@2' }
    const found = await store.skewOf({ ...asked, apartMs: minute, releasesMax: 5 })
    expect(found).toEqual({
      buckets: [
        { kind: 'chunk', startMs: monday, events: 5 },
        { kind: 'rsc', startMs: monday, events: 1 },
        { kind: 'chunk', startMs: monday + 10 * minute, events: 2 },
      ],
      last: 2,
      people: 5,
      recovered: 2,
      stuck: 2,
      releases: [{ release: 'web@1', events: 8 }],
    })
    const nothing = { scope: { ...scope, projectIds: [] }, releasesMax: 5, apartMs: 1 }
    expect(await store.skewOf({ ...asked, ...nothing })).toMatchObject({ people: 0, buckets: [], releases: [] })
  })
}
