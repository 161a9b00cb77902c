import { describe, expect, it, test } from 'vitest'
import { releasePath } from '../../client/release-path.ts'
import { type ChartAnnotation, groupAnnotations, spanOf } from './annotations.ts'

const at = (ms: number) => new Date(ms).toISOString()
const release = (version: string, ms: number): ChartAnnotation => ({
  kind: 'release',
  version,
  at: at(ms),
  environment: null,
})
const deploy = (version: string, ms: number, environment: string): ChartAnnotation => ({
  kind: 'deploy',
  version,
  at: at(ms),
  environment,
})

describe('groupAnnotations, of a chart from 1,000 to 2,000 ms with room for 10', () => {
  it.each<[string, ChartAnnotation[], [number, string, string][]]>([
    ['none', [], []],
    ['one', [release('a', 1500)], [[0.5, 'a', '']]],
    [
      'at both ends',
      [release('a', 1000), release('b', 2000)],
      [
        [0, 'a', ''],
        [1, 'b', ''],
      ],
    ],
    ['outside', [release('a', 999), release('b', 2001)], []],
    ['without a time', [{ ...release('a', 1500), at: 'never' }], []],
    ['near ones are one', [release('a', 1500), release('b', 1599)], [[0.5, 'a b', '']]],
    [
      'the next slot is another',
      [release('a', 1500), release('b', 1600)],
      [
        [0.5, 'a', ''],
        [0.6, 'b', ''],
      ],
    ],
    [
      'nearness counts from the first, so that a row of them is no single one',
      [release('a', 1500), release('b', 1560), release('c', 1620)],
      [
        [0.5, 'a b', ''],
        [0.62, 'c', ''],
      ],
    ],
    [
      'in the order of time',
      [release('b', 1800), release('a', 1200)],
      [
        [0.2, 'a', ''],
        [0.8, 'b', ''],
      ],
    ],
    [
      'a release and its deploys are one version',
      [release('a', 1500), deploy('a', 1510, 'production'), deploy('a', 1520, 'staging'), deploy('a', 1530, 'staging')],
      [[0.5, 'a', 'production staging']],
    ],
  ])('%s', (_name, marks, expected) => {
    const groups = groupAnnotations(marks, 1000, 2000, 10)
    expect(groups.map((group) => [group.place, group.versions.join(' '), group.environments.join(' ')])).toEqual(
      expected,
    )
  })

  it('thousands are as many as there is room for, and none is lost', () => {
    const marks = Array.from({ length: 5000 }, (_one, index) => release(`v${index}`, 1000 + index / 5))
    const groups = groupAnnotations(marks, 1000, 2000, 48)
    expect(groups.length).toBeLessThanOrEqual(48)
    expect(groups.length).toBeGreaterThan(40)
    expect(groups.reduce((sum, group) => sum + group.versions.length, 0)).toBe(5000)
  })

  it('a chart of no length has none', () => expect(groupAnnotations([release('a', 1000)], 1000, 1000, 10)).toEqual([]))
  it('says from when to when', () => {
    const [group] = groupAnnotations([release('a', 1500), release('b', 1550)], 1000, 2000, 10)
    expect([group?.fromMs, group?.toMs]).toEqual([1500, 1550])
  })
})

test.each<[string, [number, number][], [number, number] | undefined]>([
  ['none', [], undefined],
  ['one alone lasts an hour', [[7200, 1]], [7_200_000, 10_800_000]],
  [
    'the last lasts as long as the one before',
    [
      [60, 1],
      [120, 0],
    ],
    [60_000, 180_000],
  ],
])('spanOf %s', (_name, points, expected) => {
  const span = spanOf(points)
  expect(span && [span.fromMs, span.toMs]).toEqual(expected)
})

test.each([
  ['shop@1.0.0+build 7', '/o/acme/releases/shop%401.0.0%2Bbuild%207'],
  ['a?b#c&d', '/o/acme/releases/a%3Fb%23c%26d'],
  ['100%', '/o/acme/releases/100%25'],
])('releasePath of %s', (version, expected) => expect(releasePath('acme', version)).toBe(expected))
