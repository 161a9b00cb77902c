import { describe, expect, it } from 'vitest'
import type { RestTile } from '../../../contract/explore/dashboards.ts'
import { draftKinds, draftOf, tileOfDraft } from './tile-draft.ts'

const empty = draftOf(undefined)
const made = (given: object): RestTile => tileOfDraft({ ...empty, ...given }, undefined, [])

describe('a tile and the fields of its form', () => {
  it.each(draftKinds)('%s goes out and in without a change', (kind) => {
    const tile = made({ kind, title: 'T', query: 'a:1', groups: 'project\nrelease', limit: '7', text: 'Hi' })
    const again = tileOfDraft(draftOf(tile), tile, [tile])
    expect({ ...again, queries: tile.queries }).toEqual(tile)
  })
  it('series have own filters, formulas have names', () =>
    expect(
      made({ series: 'count() where level:error\n count() \n\n', formulas: 'share = a / b\na + b' }).plan,
    ).toMatchObject({
      series: [
        { name: 'a', aggregate: 'count()', query: 'level:error' },
        { name: 'b', aggregate: 'count()' },
      ],
      formulas: [
        { name: 'share', expression: 'a / b' },
        { name: 'd', expression: 'a + b' },
      ],
    }))
  it('without series the groups are columns', () =>
    expect(made({ kind: 'table', series: '', groups: 'message' }).plan).toMatchObject({
      columns: ['message'],
      groupBy: [],
    }))
  it.each([
    ['0', null],
    ['x', null],
    ['1001', null],
    ['12', 12],
  ])('the limit "%s" is %s', (limit, expected) => expect(made({ limit }).limit).toBe(expected))
  it('a new tile does not cover others', () => {
    const first = made({ title: '1' })
    const second = tileOfDraft({ ...empty, title: '2' }, undefined, [first])
    expect([second.layout.x, second.layout.y, second.id === first.id]).toEqual([3, 0, false])
  })
})
