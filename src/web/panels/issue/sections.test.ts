import { describe, expect, it } from 'vitest'
import type { RestEvent } from '../../../contract/events.ts'
import { sampleEvent } from './sample.cases.ts'
import { entryOf, sectionsOf, sharesOf } from './sections.ts'

const nobody = { id: null, email: null, username: null, name: null, ip_address: null, geo: null, data: null }

describe('sectionsOf', () => {
  it.each<[string, Partial<RestEvent>, string[], string[]]>([
    [
      'empty',
      {},
      [],
      ['exception', 'breadcrumbs', 'request', 'user', 'tags', 'contexts', 'release', 'environment', 'sdk'],
    ],
    [
      'a message needs no exception',
      { entries: [{ type: 'message', data: { formatted: 'x', message: null, params: null } }] },
      ['message'],
      ['breadcrumbs', 'request', 'user', 'tags', 'contexts', 'release', 'environment', 'sdk'],
    ],
    [
      'an empty user was not sent',
      { user: nobody, environment: '' },
      [],
      ['exception', 'breadcrumbs', 'request', 'user', 'tags', 'contexts', 'release', 'environment', 'sdk'],
    ],
    [
      'much',
      {
        user: { ...nobody, id: '7' },
        tags: [{ key: 'a', value: 'b' }],
        contexts: { os: {} },
        environment: 'production',
        release: { version: '1' },
        entries: [{ type: 'breadcrumbs', data: { values: [] } }],
      },
      ['user', 'tags', 'contexts', 'release', 'environment'],
      ['exception', 'breadcrumbs', 'request', 'sdk'],
    ],
  ])('%s', (_name, value, present, missing) => {
    const sections = sectionsOf(sampleEvent(value))
    expect([...sections.present]).toEqual(present)
    expect(sections.missing).toEqual(missing)
  })
})

describe('entryOf', () => {
  it('finds an entry by its type', () => {
    const event = sampleEvent({ entries: [{ type: 'csp', data: { a: 1 } }] })
    expect(entryOf(event, 'csp')?.data).toEqual({ a: 1 })
    expect(entryOf(event, 'request')).toBeUndefined()
  })
})

describe('sharesOf', () => {
  it.each<[number, number[], number[]]>([
    [10, [5, 3], [50, 30]],
    [0, [0], [0]],
    [2, [3, 1], [75, 25]],
  ])('of %d', (total, counts, expected) => {
    const values = counts.map((count) => ({ value: 'x', count }))
    expect(sharesOf(values, total).map((share) => share.percent)).toEqual(expected)
  })
})
