import { expect, test } from 'vitest'
import type { RestEvent } from '../../../contract/events.ts'
import { sectionsOf } from './page-sections.ts'
import { sampleEvent } from './sample.cases.ts'

const browserSide = { events: 0, people: 0, lastSeen: null, newest: [] }
const crumb = { timestamp: null, type: 'http', category: null, level: 'info', message: null, data: null }
const message = { type: 'message', data: { formatted: 'x', message: null, params: null } } as const

test.each<[string, Partial<RestEvent> | undefined, number, string[]]>([
  ['no stored event', undefined, 0, ['7 #activity 0']],
  ['a message in place of a stack', { entries: [message] }, 0, ['1 #message', '7 #activity 0']],
  [
    'counts; keys stay the same without the others',
    {
      entries: [{ type: 'breadcrumbs', data: { values: [crumb, crumb] } }],
      tags: [{ key: 'a', value: 'b' }],
      context: { more: 1 },
    },
    3,
    ['2 #breadcrumbs 2', '3 #browser-side 3', '5 #tags 1', '6 #contexts', '7 #activity 0'],
  ],
  [
    'the entries of a trace are not counted: they are loaded later',
    { entries: [{ type: 'breadcrumbs', data: { values: [crumb] } }], traceId: 'ab'.repeat(16) },
    0,
    ['2 #breadcrumbs', '7 #activity 0'],
  ],
])('%s', (_name, event, events, expected) => {
  const sections = sectionsOf({ browserSide: { ...browserSide, events }, activity: [] }, event && sampleEvent(event))
  expect(
    sections.map(({ number, anchor, count }) => `${number} #${anchor}${count === undefined ? '' : ` ${count}`}`),
  ).toEqual(expected)
})
