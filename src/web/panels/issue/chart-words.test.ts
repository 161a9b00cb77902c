import { expect, test } from 'vitest'
import type { RestPoint } from '../../../contract/issues.ts'
import { scaleOf } from './chart-words.ts'

const points = (stepS: number, ...events: number[]): RestPoint[] => events.map((count, at) => [at * stepS, count])

test.each<[string, RestPoint[], ReturnType<typeof scaleOf>]>([
  ['days', points(86_400, 3, 4, 512, 5, 1), { peak: 512, usual: 4, unit: 'days', length: 1 }],
  ['not before the first event', points(3600, 0, 0, 0, 7, 9, 1), { peak: 9, usual: 7, unit: 'hours', length: 1 }],
  ['twelve hours', points(43_200, 2, 2), { peak: 2, usual: 2, unit: 'hours', length: 12 }],
  ['minutes', points(300, 1, 0, 0, 0), { peak: 1, usual: 0, unit: 'minutes', length: 5 }],
  ['only the last bar', points(3600, 0, 6), { peak: 6, usual: 6, unit: 'hours', length: 1 }],
  ['no event', points(3600, 0, 0), undefined],
  ['no point', [], undefined],
])('%s', (_name, stats, scale) => expect(scaleOf(stats)).toEqual(scale))
