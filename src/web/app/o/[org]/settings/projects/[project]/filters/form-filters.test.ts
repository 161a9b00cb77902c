import { expect, test } from 'vitest'
import { noFilters } from '../../../../../../../../domain/filters.ts'
import { typedValues } from '../../../../../../../client/form.ts'
import { filtersIn, ticked } from './form-filters.ts'

const sent = (fields: Record<string, string>) => {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.set(name, value)
  return data
}
const form = {
  organization: 'acme',
  project: '1',
  revision: '3',
  localhost: 'on',
  'browsers.ie': 'on',
  'browsers.opera_mini': 'on',
  messages: ' a* \r\n\r\nb',
}

test('the form says every filter', () => {
  expect(filtersIn(sent(form))).toEqual({
    ...noFilters,
    localhost: true,
    browsers: ['ie', 'opera_mini'],
    messages: ['a*', 'b'],
  })
})

test('a form that was refused keeps its ticks, one that is new has those of the project', () => {
  const stored = { ...noFilters, crawlers: true, browsers: ['safari' as const] }
  const boxes = ['localhost', 'crawlers', 'browsers.ie', 'browsers.opera_mini', 'browsers.safari']
  const again = ticked(typedValues(sent(form)), stored)
  expect(boxes.filter(again)).toEqual(['localhost', 'browsers.ie', 'browsers.opera_mini'])
  expect(boxes.filter(ticked({}, stored))).toEqual(['crawlers', 'browsers.safari'])
})
