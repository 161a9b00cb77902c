import { expect, test } from 'vitest'
import { defaultDetectors, faultsOf } from '../../../../../../../../domain/detectors/detectors.ts'
import { activeField, detectorsIn, thresholdField } from './form-detectors.ts'

const form = (fields: Record<string, string>) => {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.set(name, value)
  return detectorsIn(data)
}

test('a box that is off switches the detector off; empty numbers are the defaults', () => {
  const change = form({ [activeField('slowQueries')]: 'on', [thresholdField('slowQueries', 'durationMs')]: ' 750 ' })
  expect(change.slowQueries).toEqual({ active: true, thresholds: { durationMs: 750 } })
  expect(change.nPlusOneQueries).toEqual({ ...defaultDetectors.nPlusOneQueries, active: false })
})

test('what is no number is a fault of its field', () => {
  const change = form({ [thresholdField('consecutiveRequests', 'countMin')]: 'many' })
  expect(Object.keys(faultsOf(change))).toEqual([thresholdField('consecutiveRequests', 'countMin')])
})
