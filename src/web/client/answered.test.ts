import { expect, test } from 'vitest'
import { answered, dataFor } from './answered.ts'

const range = { statsPeriod: '14d', environment: undefined }
const answer = answered(range, 7)

test.each<[string, typeof answer | undefined, object, number | undefined]>([
  ['the same query', answer, { statsPeriod: '14d', environment: undefined }, 7],
  ['left out and undefined are the same', answer, { statsPeriod: '14d' }, 7],
  ['another range', answer, { statsPeriod: '24h' }, undefined],
  ['one environment more', answer, { statsPeriod: '14d', environment: ['production'] }, undefined],
  ['no answer', undefined, range, undefined],
])('%s', (_name, given, query, expected) => {
  expect(dataFor(given, query)).toBe(expected)
})
