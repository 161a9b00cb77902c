import { describe, expect, it } from 'vitest'
import type { RestIssue } from '../../../contract/issues.ts'
import { sampleIssue } from '../issue/sample.cases.ts'
import { changeRows, countUp, mergeRows, type Page, rowsOf, selectTo, statusesOf, withStatus } from './rows.ts'

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

describe('status', () => {
  it('changes status and substatus', () => {
    const row = issue('1')
    expect(withStatus(row, { status: 'unresolved' })).toBe(row)
    expect(withStatus(row, { status: 'resolved' })).toMatchObject({ status: 'resolved', substatus: null })
    const archived = issue('1', { status: 'ignored', substatus: null })
    expect(withStatus(archived, { status: 'unresolved' })).toMatchObject({ substatus: 'ongoing' })
    expect(withStatus(archived, { status: 'unresolved', substatus: 'new' })).toMatchObject({ substatus: 'new' })
    expect(withStatus(row, { status: 'resolved', substatus: 'new' })).toMatchObject({ substatus: null })
    const until = { ignoreCount: 10 }
    const waiting = withStatus(row, {
      status: 'ignored' as const,
      substatus: 'archived_until_condition_met' as const,
      statusDetails: until,
    })
    expect(waiting).toMatchObject({ substatus: 'archived_until_condition_met', statusDetails: until })
    expect(withStatus(waiting, { status: 'ignored', substatus: 'archived_forever' })).not.toBe(waiting)
  })
  it('remembers what was', () => {
    const rows = [
      issue('1', { revision: 11, substatus: 'ongoing' }),
      issue('2', { revision: 12, status: 'resolved', substatus: null }),
      issue('3', { revision: 13, substatus: 'ongoing' }),
      issue('4'),
      issue('5', { revision: 15, substatus: 'new' }),
    ]
    const shown = (...ids: string[]) => ids.map((id) => ({ id, revision: Number(id) + 10 }))
    expect(statusesOf(rows, new Set(['1', '2', '3', '5']))).toEqual([
      { was: { status: 'unresolved', substatus: 'ongoing', statusDetails: {} }, issues: shown('1', '3') },
      { was: { status: 'resolved', substatus: null, statusDetails: {} }, issues: shown('2') },
      { was: { status: 'unresolved', substatus: 'new', statusDetails: {} }, issues: shown('5') },
    ])
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
