import { describe, expect, it } from 'vitest'
import type { RestEvent } from '../../../contract/events.ts'
import { hasSection, missingSections, sectionNames } from './event-sections.ts'
import { sampleEvent } from './sample.cases.ts'

const nobody = { id: null, email: null, username: null, name: null, ip_address: null, geo: null, data: null }

describe('sections of an event', () => {
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
    const event = sampleEvent(value)
    expect(sectionNames.filter((name) => hasSection(event, name))).toEqual(present)
    expect(missingSections(event)).toEqual(missing)
  })
})
