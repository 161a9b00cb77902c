import { describe, expect, test } from 'vitest'
import type { Filter } from '../../store/events/question.ts'
import { meetsFilter } from './issue-filter.ts'

const event: Filter = { op: 'event', of: { op: 'releases', values: ['web@1'] } }
const issue = { op: 'status', value: 'unresolved' } as const
const subject = { issueId: 7, projectId: 1, eventId: 'e'.repeat(32), atMs: 100 * 86_400_000 }
const branch = (more: object) => ({ issue: undefined, event: undefined, projectIds: [1], ...more })

/** Stores that know issue 7, if it is `open`, with so many events. Records what is asked. */
function storesOf({ isOpen = true, events = 1 } = {}) {
  const asked: { filter: unknown; scope: { fromMs: number; toMs: number } }[] = []
  const deps = {
    meta: {
      issues: {
        issueStarts: async (ids: number[]) => new Map(isOpen ? ids.map((id) => [id, 1]) : []),
        hashesOf: async (ids: number[]) => new Map(ids.map((id) => [id, ['h1', 'h2']])),
      },
    },
    events: {
      groupRows: async (question: (typeof asked)[number]) => {
        asked.push(question)
        return [[events]]
      },
    },
  } as never
  return { deps, asked }
}

describe('the filter of a rule', () => {
  test.each<[string, object[], object, boolean]>([
    ['without conditions', [branch({})], {}, true],
    ['without any way', [], {}, false],
    ['of another project', [branch({ projectIds: [2] })], {}, false],
    ['about an issue that fits', [branch({ issue })], {}, true],
    ['about an issue that does not', [branch({ issue })], { isOpen: false }, false],
    ['about an event that fits', [branch({ event })], {}, true],
    ['about an event that does not', [branch({ event })], { events: 0 }, false],
    ['about both', [branch({ issue, event })], {}, true],
    ['about both, of which the issue does not fit', [branch({ issue, event })], { isOpen: false }, false],
    ['with two ways of which one fits', [branch({ event }), branch({ issue })], { events: 0 }, true],
  ])('%s', async (_what, branches, stores, expected) => {
    expect(await meetsFilter(storesOf(stores).deps, branches as never, subject)).toBe(expected)
  })

  test('is met by something without an issue only if it has no conditions', async () => {
    const { deps, asked } = storesOf()
    const nothing = { ...subject, issueId: null }
    expect(await meetsFilter(deps, [branch({})], nothing)).toBe(true)
    expect(await meetsFilter(deps, [branch({ issue }), branch({ event })], nothing)).toBe(false)
    expect(asked).toEqual([])
  })

  test('asks the event itself, or the last day of the issue if no event caused it', async () => {
    const { deps, asked } = storesOf()
    await meetsFilter(deps, [branch({ event })], subject)
    await meetsFilter(deps, [branch({ event })], { ...subject, eventId: '' })
    const [own, recent] = asked
    const groups = { op: 'event', of: { op: 'groups', hashes: ['h1', 'h2'] } }
    expect(own?.filter).toEqual({
      op: 'and',
      of: [event, groups, { op: 'event', of: { op: 'field', field: 'event_id', match: 'is', value: subject.eventId } }],
    })
    expect(recent?.filter).toEqual({ op: 'and', of: [event, groups] })
    expect(recent?.scope.fromMs).toBe(subject.atMs - 86_400_000)
    expect(own?.scope.fromMs).toBeLessThan(recent?.scope.fromMs ?? 0)
  })
})
