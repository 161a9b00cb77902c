import { describe, expect, test } from 'vitest'
import type { QueryDeps } from '../issues/issue.ts'
import type { LogView } from './condition.ts'
import { logPatterns, logSummary } from './summary.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const toMs = Date.UTC(2026, 10, 27, 10)
const viewOf = (lengthMs: number, slugs = ['web']) =>
  ({
    projects: slugs.map((slug, n) => ({ id: n + 1, slug })),
    environments: ['production'],
    range: { fromMs: toMs - lengthMs, toMs, period: 'range' },
  }) as unknown as LogView
const values = (count: number) => Array.from({ length: count }, (_, n) => ({ value: `v${n}`, count: count - n }))
const dropped = (more: object = {}) => ({
  hourMs: toMs - hourMs,
  projectId: 1,
  category: 'log_item',
  outcome: 'rate_limited',
  reason: 'key_limit',
  quantity: 5,
  ...more,
})

function stores(answers: Record<string, unknown>, ledger: object[] = [], releases: object[] = []) {
  const asked: Record<string, Record<string, unknown>> = {}
  const answer =
    (name: string, none: unknown = []) =>
    async (request: Record<string, unknown>) => {
      asked[name] = request
      return answers[name] ?? none
    }
  const deps = {
    clock: { now: () => toMs },
    events: {
      newestPart: async ({ scope }: { scope: { fromMs: number } }) => ({ fromMs: scope.fromMs, rows: 0 }),
      seriesOfRows: answer('series'),
      columnFacets: answer('columns'),
      projectFacet: answer('projects'),
      groupRows: answer('groups'),
      logPatterns: answer('patterns'),
      patternCount: answer('patternCount', 0),
      patternSeries: answer('points'),
      patternStarts: async (scope: Record<string, unknown>) => {
        asked['starts'] = scope
        return answers['starts'] ?? new Map()
      },
      logDetails: answer('details'),
    },
    meta: {
      ledger: {
        outcomesSince: async (request: Record<string, unknown>) => {
          asked['ledger'] = request
          return ledger
        },
      },
      releases: { releaseTimes: async () => releases },
    },
  }
  return { deps: deps as unknown as QueryDeps, asked }
}
const summary = async (
  answers: Record<string, unknown>,
  view = viewOf(hourMs),
  ledger: object[] = [],
  fields: string[] = [],
) => {
  const { deps, asked } = stores(answers, ledger)
  return { asked, answer: await logSummary(deps, view, { query: '', fields }) }
}

describe('the summary', () => {
  test('has the lines of each bar by level, and their sums', async () => {
    const { answer } = await summary({
      series: [
        { startMs: 1000, group: ['error'], cells: [2.4, 1] },
        { startMs: 1000, group: ['info'], cells: [8, 8] },
        { startMs: 2000, group: ['info'], cells: [4.4, 3] },
      ],
    })
    expect(answer).toMatchObject({
      count: 15,
      samples: 12,
      bars: [
        { start: 1000, levels: { error: 2.4, info: 8 } },
        { start: 2000, levels: { info: 4.4 } },
      ],
      facets: [
        {
          key: 'level',
          values: [
            { value: 'error', count: 2.4 },
            { value: 'info', count: 12.4 },
          ],
        },
      ],
      countedFrom: null,
    })
  })

  test.each([
    [1000, 1],
    [90_000, 1],
    [90_001, 2],
    [hourMs, 60],
    [dayMs, 1800],
    [14 * dayMs, 21_600],
    [90 * 7 * dayMs, 604_800],
    [3650 * dayMs, 2_592_000],
  ])('of %d ms has bars of %d s, about ninety', async (lengthMs, seconds) => {
    const { answer, asked } = await summary({}, viewOf(lengthMs))
    expect([answer.interval, asked['series']?.['bucketMs']]).toEqual([seconds * 1000, seconds * 1000])
  })

  test('shows eight values of a facet, and whether there are more', async () => {
    const { answer, asked } = await summary({
      columns: [
        { key: 'service', values: values(8) },
        { key: 'host', values: values(9) },
      ],
    })
    expect(answer.facets.slice(1).map(({ key, values: shown, more }) => [key, shown.length, more])).toEqual([
      ['service', 8, false],
      ['host', 8, true],
    ])
    expect(asked['columns']?.['max']).toBe(9)
  })

  test('counts projects only if there are several, by their slugs', async () => {
    const projects = [{ projectId: 2, count: 7 }]
    const { answer } = await summary({ projects }, viewOf(hourMs, ['web', 'api']))
    expect(answer.facets[1]).toEqual({ key: 'project', values: [{ value: 'api', count: 7 }], more: false })
    expect((await summary({ projects })).asked).not.toHaveProperty('projects')
  })

  test('has the fields that a reader added, without their missing values', async () => {
    const groups = [
      ['a', 5],
      [null, 4],
      ['', 3],
      [7, '2'],
    ]
    const { answer } = await summary({ groups }, undefined, [], ['order.id'])
    expect(answer.facets.at(-1)).toEqual({
      key: 'order.id',
      values: [
        { value: 'a', count: 5 },
        { value: '7', count: 2 },
      ],
      more: false,
    })
  })

  test('tells the lines of the last day that were dropped, and no other outcomes', async () => {
    const { answer, asked } = await summary({}, viewOf(14 * dayMs), [
      dropped(),
      dropped({ category: 'error' }),
      dropped({ outcome: 'filtered' }),
      dropped({ hourMs: toMs }),
    ])
    expect(answer.dropped).toEqual([
      {
        from: '2026-11-27T09:00:00.000Z',
        to: '2026-11-27T10:00:00.000Z',
        projectID: '1',
        count: 5,
        reason: 'key_limit',
      },
    ])
    expect(asked['ledger']?.['fromMs']).toBe(toMs - dayMs)
    expect((await summary({}, viewOf(hourMs))).asked['ledger']?.['fromMs']).toBe(toMs - hourMs)
  })

  test('refuses a function as a field', async () => {
    await expect(summary({}, undefined, [], ['count()'])).rejects.toMatchObject({
      code: 'VALIDATION',
      fields: { field: ['"count()" is a function. A line has fields only.'] },
    })
  })
})

test('a limit of 0 only counts the patterns', async () => {
  const { deps, asked } = stores({ patternCount: 12_000 })
  expect(await logPatterns(deps, viewOf(24 * hourMs), { query: 'level:error', limit: 0 })).toEqual({
    patterns: [],
    total: 12_000,
    release: null,
    countedFrom: null,
  })
  expect(Object.keys(asked)).toEqual(['patternCount'])
})

describe('the patterns', () => {
  const key = { projectId: 1, timeUs: 5_000_000, jpos: 1, place: 0 }
  const row = { pattern: 'p1', count: 30, lastUs: toMs * 1000, newest: key, level: 'error' }
  const patterns = async (more: Record<string, unknown> = {}, releases: object[] = []) => {
    const { deps, asked } = stores({ patterns: { patterns: [row], total: 70, lines: 120 }, ...more }, [], releases)
    return { asked, answer: await logPatterns(deps, viewOf(24 * hourMs), { query: '' }) }
  }
  const release = { version: 'shop@1.0.0', createdMs: toMs - hourMs, firstEventMs: null }

  test('have their part of all lines, and the template or shape of the newest line', async () => {
    const of = async (line: object) => (await patterns({ details: [{ ...key, ...line }] })).answer.patterns[0]
    expect(await of({ template: 'cart %s', body: 'cart 1' })).toMatchObject({
      shape: 'cart %s',
      share: 0.25,
      count: 30,
    })
    expect((await of({ template: '', body: 'cart 17 lost' }))?.shape).toMatch(/^cart \S+ lost$/)
    // The line was removed after it was counted.
    expect((await patterns()).answer.patterns[0]).toMatchObject({ shape: '', level: 'error', projectID: '1' })
  })
  test('have a share of no lines', async () => {
    const none = { patterns: { patterns: [row], total: 1, lines: 0 } }
    expect((await patterns(none)).answer.patterns[0]?.share).toBe(0)
  })
  test.each<[string, number | undefined, object[], boolean]>([
    ['first seen at the release', toMs - hourMs, [release], true],
    ['first seen before it', toMs - hourMs - 1, [release], false],
    ['without a release', toMs, [], false],
    ['whose first line is gone: since its last', undefined, [release], true],
  ])('are new or not: %s', async (_name, firstMs, releases, isNew) => {
    const starts = new Map(firstMs === undefined ? [] : [['p1', firstMs * 1000]])
    expect((await patterns({ starts }, releases)).answer.patterns[0]?.isNew).toBe(isNew)
  })
  test('are old if any environment had them at any time', async () => {
    expect((await patterns()).asked['starts']).toMatchObject({ environments: [], fromMs: 0 })
  })
  test('have a point for each part of the range; times outside of it count at its ends', async () => {
    const at = (startMs: number, count: number) => ({ pattern: 'p1', startMs, count })
    const points = [
      at(toMs - 24 * hourMs, 1),
      at(0, 2),
      at(toMs - hourMs, 4),
      at(toMs + dayMs, 8),
      { ...at(0, 9), pattern: 'x' },
    ]
    const found = (await patterns({ points })).answer.patterns[0]?.points ?? []
    expect([found.length, found[0], found[23], found[24]]).toEqual([25, 3, 4, 8])
    expect(found.slice(1, 23).every((point) => point === 0)).toBe(true)
  })
})
