import { describe, expect, it } from 'vitest'
import { sampleIssue } from '../issue/sample.cases.ts'
import { mergeOf, mergesMax } from './merge-rules.ts'

const sample = sampleIssue({})
const issue = (id: string, count: string, projectId = '1') =>
  sampleIssue({ id, lifetime: { ...sample.lifetime, count }, project: { ...sample.project, id: projectId } })

describe('what a merge makes', () => {
  it('of the issue with most events, of equal ones of the older', () => {
    const plan = mergeOf([issue('9', '5'), issue('12', '70'), issue('7', '70'), issue('8', '9')])
    expect(plan.kind === 'merge' && [plan.into, ...plan.others].map((item) => item.id)).toEqual(['7', '12', '8', '9'])
  })
  it.each([
    ['no issue', [], 'few'],
    ['one issue', [issue('1', '5')], 'few'],
    ['issues of two projects', [issue('1', '5'), issue('2', '5', '2')], 'several'],
    ['more than one address holds', Array.from({ length: mergesMax + 1 }, (_, at) => issue(`${at}`, '1')), 'many'],
    ['as many as one holds', Array.from({ length: mergesMax }, (_, at) => issue(`${at}`, '1')), 'merge'],
  ])('%s', (_name, rows, kind) => expect(mergeOf(rows).kind).toBe(kind))
})
