import { describe, expect, it } from 'vitest'
import { datasets } from '../../../domain/datasets.ts'
import { fieldsOfDataset } from '../../../query/compile/datasets.ts'
import { caretContextOf, needsServerValues, suggestionsFor } from '../search/complete.ts'
import { exploreKeyTable } from './key-tables.ts'

const none = { tagKeys: [], values: [] }
const labels = (dataset: (typeof datasets)[number], text: string, data: Parameters<typeof suggestionsFor>[1] = none) =>
  suggestionsFor(caretContextOf(text, text.length), data, ({ name }) => name, exploreKeyTable(dataset)).map(
    ({ label }) => label,
  )

describe('keys of the search box of Explore', () => {
  it.each([
    ['logs', 'sev', ['severity', 'severity_number']],
    ['logs', 'templ', ['template']],
    ['metrics', 'metric.', ['metric.name', 'metric.type', 'metric.unit']],
    ['metrics', 'templ', []],
    ['spans', 'severity_n', []],
    ['outcomes', 'cat', []],
  ] as const)('of %s, %s offers %j', (dataset, text, offered) => expect(labels(dataset, text)).toEqual(offered))

  it('attributes in use follow the keys, without those that are keys', () => {
    const data = { tagKeys: ['metric.name', 'metric.plan', 'plan'], values: [] }
    expect(labels('metrics', 'metric.', data)).toEqual(['metric.name', 'metric.type', 'metric.unit', 'metric.plan'])
  })

  it.each([
    ['metrics', 'folded:', ['true', 'false']],
    ['logs', 'severity:', ['trace', 'debug', 'info', 'warning', 'error', 'fatal']],
  ] as const)('of %s, %s offers the fixed words %j', (dataset, text, offered) =>
    expect(labels(dataset, text).filter((label) => (offered as readonly string[]).includes(label))).toEqual(offered),
  )

  it.each([
    ['logs', 'service:sh', true],
    ['metrics', 'metric.name:', true],
    ['metrics', 'metric.type:', true],
    ['metrics', 'plan:', true],
    ['metrics', 'value:', false],
  ] as const)('of %s, the values of %s come from the server: %s', (dataset, text, needs) =>
    expect(needsServerValues(caretContextOf(text, text.length), exploreKeyTable(dataset))).toBe(needs),
  )

  it.each(['logs', 'metrics', 'spans'] as const)('of %s, what is offered is what the server knows', (dataset) => {
    const table = exploreKeyTable(dataset)
    expect(table.offered).toBe(fieldsOfDataset(dataset).keys)
    for (const { name } of table.offered) expect([name, table.keyOf(name)?.name]).toEqual([name, name])
    expect(table.keyOf('no.such.key')).toBeUndefined()
  })

  it('each dataset has a table', () => {
    for (const dataset of datasets) expect(exploreKeyTable(dataset).words).toBeTruthy()
  })
})
