import { describe, expect, it } from 'vitest'
import { todoOf } from '../../../api/status/outcome-advice.ts'
import { outcomes } from '../../../base/outcome.ts'
import type { RestLedger } from '../../../contract/status.ts'
import texts from '../../messages/status.en.json'
import { ledgerGroups, verdictOf } from './verdicts.ts'

type Row = RestLedger['rows'][number]
const row = (slug: string | null, outcome: string, quantity: number, more: Partial<Row> = {}): Row => ({
  project: slug ? { id: '1', slug } : null,
  key: null,
  category: 'error',
  outcome,
  reason: 'ok',
  quantity,
  bytes: quantity,
  todo: '',
  ...more,
})

describe('ledgerGroups', () => {
  it('is project, category, reason; keys summed up; the largest first, strangers last', () => {
    const groups = ledgerGroups([
      row(null, 'invalid', 99, { reason: 'unknown_key', category: 'unknown' }),
      row('web', 'stored', 5, { key: { id: '1', label: 'a' } }),
      row('web', 'stored', 6, { key: { id: '2', label: 'b' } }),
      row('web', 'invalid', 1, { reason: 'bad_json' }),
      row('web', 'stored', 20, { category: 'attachment' }),
      row('api', 'stored', 2),
    ])
    expect(groups.map((group) => [group.slug, group.quantity])).toEqual([
      ['web', 32],
      ['api', 2],
      [null, 99],
    ])
    expect(
      groups[0]?.categories.map((category) => [category.category, category.rows.map((each) => each.quantity)]),
    ).toEqual([
      ['attachment', [20]],
      ['error', [11, 1]],
    ])
  })

  it('does not count twice what was stored and thinned since', () => {
    const [group] = ledgerGroups([row('web', 'stored', 9), row('web', 'thinned', 7, { reason: 'disk_budget' })])
    expect([group?.quantity, group?.categories[0]?.quantity, group?.categories[0]?.rows.length]).toEqual([9, 9, 2])
  })

  it('leaves out what adds up to nothing', () => {
    expect(ledgerGroups([row('web', 'dead', 1), row('web', 'dead', -1)])[0]?.categories).toEqual([])
  })
})

describe('texts', () => {
  it('has a verdict and a word for each outcome', () => {
    for (const outcome of outcomes.filter((item) => item !== 'received')) {
      expect(Object.keys(texts.outcomes)).toContain(outcome)
      expect(verdictOf(outcome)).not.toBe('debug')
    }
  })
  it('says for each reason what the API says', () => {
    const { ok: _ok, ...rest } = todoOf
    expect(texts.todo).toEqual(rest)
  })
})
