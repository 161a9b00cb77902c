import { describe, expect, it } from 'vitest'
import { liveMessage } from './live-rules.ts'

describe('liveMessage', () => {
  const cases: [string, string, string, unknown][] = [
    ['a change', '12', '{"kind":"issue","id":"3"}', { id: 12, change: { kind: 'issue', id: '3' } }],
    ['without an id', '', '{"kind":"engine","up":false}', { id: 0, change: { kind: 'engine', up: false } }],
    ['an unknown kind', '1', '{"kind":"spell"}', undefined],
    ['no JSON', '1', 'x', undefined],
    ['null', '1', 'null', undefined],
    ['a number', '1', '7', undefined],
  ]
  it.each(cases)('%s', (_name, id, data, message) => expect(liveMessage(id, data)).toEqual(message))
})
