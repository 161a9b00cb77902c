import { describe, expect, it } from 'vitest'
import { advisoryRows, ledgerRows } from './ledger.ts'

const ledger = {
  received: 10,
  stored: 3,
  filtered: 1,
  rateLimited: 2,
  invalid: 1,
  duplicate: 1,
  waiting: 1,
  dead: 1,
  lost: 0,
  clientDiscards: 4,
  thinned: 2,
  own: 0,
  rows: [],
}

describe('ledgerRows', () => {
  it('is a sum that adds up', () => {
    const [first, ...rest] = ledgerRows(ledger)
    expect(first).toEqual({ id: 'received', quantity: 10, sign: '', isBug: false })
    expect(rest.reduce((sum, line) => sum + line.quantity, 0)).toBe(10)
    expect(rest.map((line) => line.sign)).toEqual(['=', '+', '+', '+', '+', '+', '+', '+'])
  })
  it('marks a loss, and nothing else, as a bug', () => {
    expect(ledgerRows(ledger).some((line) => line.isBug)).toBe(false)
    expect(ledgerRows({ ...ledger, lost: 1 }).filter((line) => line.isBug)).toEqual([
      { id: 'lost', quantity: 1, sign: '+', isBug: true },
    ])
  })
})

describe('advisoryRows', () => {
  it('puts advisories first and leaves its argument alone', () => {
    const versions = [
      { name: 'b', version: '1', advisory: null },
      { name: 'c', version: '1', advisory: 'CVE' },
      { name: 'a', version: '1', advisory: null },
    ]
    expect(advisoryRows(versions).map((advisoryRow) => advisoryRow.name)).toEqual(['c', 'a', 'b'])
    expect(versions.map((version) => version.name)).toEqual(['b', 'c', 'a'])
  })
})
