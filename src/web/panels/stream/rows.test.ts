import { describe, expect, it } from 'vitest'
import type { RestIssue } from '../../../contract/issues.ts'
import { sampleIssue } from '../issue/sample.cases.ts'
import { changeRows, countUp, mergeRows, type Page, rowsOf, selectTo } from './rows.ts'

const issue = (id: string, value: Partial<RestIssue> = {}) => sampleIssue({ id, shortId: `WEB-${id}`, ...value })
const page = (...ids: string[]): Page => ({ rows: ids.map((id) => issue(id)), hits: null, next: null })

describe('rowsOf', () => {
  it('keeps each issue once, waiting rows first', () => {
    expect(rowsOf([page('1', '2'), page('2', '3')], [issue('9'), issue('1')]).map((row) => row.id)).toEqual([
      '9',
      '1',
      '2',
      '3',
    ])
  })
})

describe('changeRows', () => {
  it('keeps pages without a change as they are', () => {
    const pages = [page('1'), page('2')]
    const changed = changeRows(pages, (row) => (row.id === '2' ? { ...row, title: 'x' } : row))
    expect(changed[0]).toBe(pages[0])
    expect(changed[1]?.rows[0]?.title).toBe('x')
  })
})

describe('countUp', () => {
  const now = Date.parse('2026-11-21T12:00:00Z')
  it('moves counters, last seen and the last bar', () => {
    const row = countUp(issue('1'), 3, now)
    expect([row.count, row.lifetime.count, row.lastSeen]).toEqual(['8', '12', '2026-11-21T12:00:00.000Z'])
    expect(row.stats.range).toEqual([
      [0, 1],
      [3600, 7],
    ])
  })
  it('never goes back in time', () => {
    expect(countUp(issue('1', { lastSeen: '2027-01-01T00:00:00.000Z' }), 1, now).lastSeen).toBe(
      '2027-01-01T00:00:00.000Z',
    )
  })
  it('does nothing for nothing', () => {
    const row = issue('1')
    expect(countUp(row, 0, now)).toBe(row)
  })
})

describe('selectTo', () => {
  const rows = ['1', '2', '3', '4'].map((id) => issue(id))
  it.each<[string, string | null, string, string[]]>([
    ['down', '1', '3', ['1', '2', '3']],
    ['up', '4', '2', ['2', '3', '4']],
    ['without a start', null, '2', ['2']],
    ['an unknown row', '1', '9', []],
  ])('%s', (_name, anchor, id, expected) => {
    expect([...selectTo(rows, new Set(), anchor, id)]).toEqual(expected)
  })
})

describe('mergeRows', () => {
  it('replaces known rows in their place and hands back the others', () => {
    const { pages, unknown } = mergeRows(
      [page('1', '2'), page('3')],
      [issue('9'), issue('2', { title: 'new' }), issue('8')],
    )
    expect(pages.map((item) => item.rows.map((row) => row.id))).toEqual([['1', '2'], ['3']])
    expect(pages[0]?.rows[1]?.title).toBe('new')
    expect(unknown.map((row) => row.id)).toEqual(['9', '8'])
  })
})
