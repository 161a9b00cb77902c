import { describe, expect, test } from 'vitest'
import type { RestIssue, RestPoint } from '../../../contract/issues.ts'
import { type RowState, rowState, timesUsual } from './row-state.ts'
import { sampleIssue } from './sample.cases.ts'

const days = (...values: number[]): RestPoint[] => values.map((events, at) => [at * 86_400, events])
const noise: RestIssue['noise'] = { kind: 'bot', sentence: '' }

describe('how many times the usual', () => {
  test.each<[string, RestPoint[], number | undefined]>([
    ['nothing', [], undefined],
    ['too few bars before', days(1, 1, 9, 9), undefined],
    ['the newest bar', days(10, 10, 10, 10, 120), 12],
    ['the bar before, as the newest has only begun', days(10, 10, 10, 120, 4), 12],
    ['from the first bar with events on', days(0, 0, 0, 10, 10, 10, 0, 60), 6],
    ['quiet days after it count', days(30, 0, 0, 0, 60), 6],
    ['too few bars since the first', days(0, 0, 0, 10, 10, 0, 60), undefined],
    ['no more than usual', days(10, 10, 10, 10, 12), undefined],
    ['never before', days(0, 0, 0, 0, 50), undefined],
  ])('%s', (_name, points, times) => expect(timesUsual(points)).toBe(times))
})

describe('the one state of a row', () => {
  const rising = { range: days(10, 10, 10, 10, 120) }
  test.each<[string, Partial<RestIssue>, RowState | undefined]>([
    ['new', { substatus: 'new' }, { kind: 'new' }],
    ['new and unhandled: only new', { substatus: 'new', isUnhandled: true }, { kind: 'new' }],
    ['regressed', { substatus: 'regressed' }, { kind: 'regressed' }],
    ['ongoing has no word', { substatus: 'ongoing', isUnhandled: true }, undefined],
    ['escalating with a level', { substatus: 'escalating', stats: rising }, { kind: 'times', times: 12 }],
    ['escalating without one', { substatus: 'escalating' }, { kind: 'escalating' }],
    ['noise before new', { substatus: 'new', noise }, { kind: 'noise' }],
    ['resolved before noise', { status: 'resolved', substatus: null, noise }, { kind: 'resolved' }],
    ['archived', { status: 'ignored', substatus: 'archived_forever' }, { kind: 'archived' }],
  ])('%s', (_name, change, expected) => expect(rowState(sampleIssue(change))).toEqual(expected))
})
