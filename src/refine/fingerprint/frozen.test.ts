import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { groupingVersions } from '../../domain/grouping.ts'
import { refineBody } from '../pipeline/fixture.cases.ts'
import { hashesOf } from './fingerprint.ts'

const fixtures = join(import.meta.dirname, '../../../fixtures')
const recorded = readdirSync(join(fixtures, 'envelopes')).filter((name) => name.endsWith('.envelope'))
const hydration: Record<string, unknown> = JSON.parse(readFileSync(join(fixtures, 'hydration.json'), 'utf8'))
const bodies: readonly (readonly [name: string, kind: 'envelope' | 'store', body: Buffer | string])[] = [
  ...recorded.map((name) => [name, 'envelope', readFileSync(join(fixtures, 'envelopes', name))] as const),
  ...Object.entries(hydration).map(([name, event]) => [name, 'store', JSON.stringify(event)] as const),
]

/** The hashes of the fixtures' events in stored form, in the order of the files. */
function linesBy(version: number, fingerprintRules: string): string[] {
  const settings = { grouping: { fingerprintRules, stackRules: '', version } }
  return bodies.flatMap(([name, kind, body]) =>
    refineBody(body, { kind }, settings).events.map(({ row }) => {
      const [normal = ''] = row.payload.split('\n')
      return `${name} ${hashesOf(JSON.parse(normal)).join(' ')}`
    }),
  )
}

// Recorded when each version was released. If a sum changes, add a new version; never change a line here.
const released: readonly (readonly [version: number, plain: string, hybrid: string])[] = [
  [1, 'dc3382f3e8cffe09', 'fed69eb80543b705'],
  [2, 'f6d75d8e57326793', 'fed69eb80543b705'],
  [3, 'c54f9c9013954b4f', '58c94d2e68016480'],
]

describe.each(released)('version %i is frozen', (version, plain, hybrid) => {
  test.each([
    ['without rules', '', plain],
    ['with a rule that adds to the default', 'family:javascript -> {{ default }}, {{ function }}', hybrid],
  ])('%s', (_name, rules, sum) => {
    const lines = linesBy(version, rules)
    expect(lines.length).toBeGreaterThan(60)
    expect(hash('sha256', lines.join('\n')).slice(0, 16)).toBe(sum)
  })
})

test('every version has its sums', () => {
  expect(released.map(([version]) => version)).toEqual([...groupingVersions])
})
