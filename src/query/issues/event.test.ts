import { describe, expect, test } from 'vitest'
import type { RestEvent } from '../../contract/events.ts'
import { type Diagnostics, hydrationCauses, invariants, noiseKinds, skewKinds } from '../../domain/diagnostics.ts'
import type { NormalEvent } from '../../domain/event.ts'
import type { EventRow } from '../../store/events/events.ts'
import { type EventPosition, toRestAttachment, toRestEvent } from './event.ts'

const place: EventPosition = {
  issueId: 7,
  number: 2,
  total: 3,
  previousEventId: 'a'.repeat(32),
  nextEventId: null,
  attachments: [],
  failure: null,
  repository: null,
}
const bare: NormalEvent = {
  event_id: 'e'.repeat(32),
  timestamp: 1_795_000_000.5,
  received: 1_795_000_001,
  platform: 'javascript',
  level: 'error',
  type: 'error',
  tags: [],
  errors: [],
  contexts: {},
  findings: {
    title: 'TypeError: x',
    culprit: 'app',
    metadata: {},
    kind: 'error',
    unhandled: true,
    grouping: { version: 1, variants: [] },
  },
}
function rowOf(event: Partial<NormalEvent>, change: Partial<EventRow> = {}): EventRow {
  return {
    projectId: 3,
    groupHash: '1'.repeat(16),
    hashes: ['1'.repeat(16), '2'.repeat(16)],
    timestampUs: 1_795_000_000_500_999,
    receivedMs: 1_795_000_001_000,
    eventId: bare.event_id,
    jpos: 9,
    gen: 0,
    userHash: '',
    level: 'error',
    environment: '',
    release: '',
    transaction: '',
    type: 'error',
    platform: 'javascript',
    message: '',
    tags: {},
    traceId: '',
    digest: '',
    frames: [],
    payload: `${JSON.stringify({ ...bare, ...event })}\n{"raw":1}`,
    ...change,
  }
}
const rest = (event: Partial<NormalEvent> = {}, change: Partial<EventRow> = {}): RestEvent =>
  toRestEvent(rowOf(event, change), place)
const entry = (event: Partial<NormalEvent>) => {
  const { entries } = rest(event)
  if (entries.length !== 1) throw new Error(`${entries.length} entries`)
  return entries[0]
}
const noFrame = {
  filename: null,
  absPath: null,
  module: null,
  function: null,
  rawFunction: null,
  lineNo: null,
  colNo: null,
  context: [],
  inApp: false,
  vars: null,
  package: null,
  platform: null,
  instructionAddr: null,
  data: null,
}

test('an event with nothing in it says so with null, never with a hole', () => {
  expect(rest()).toEqual({
    id: bare.event_id,
    eventID: bare.event_id,
    groupID: '7',
    projectID: '3',
    title: 'TypeError: x',
    message: '',
    culprit: 'app',
    location: null,
    platform: 'javascript',
    type: 'error',
    metadata: {},
    dateCreated: new Date(1_795_000_000_500).toISOString(),
    dateReceived: new Date(1_795_000_001_000).toISOString(),
    size: Buffer.byteLength(JSON.stringify(bare)),
    dist: null,
    release: null,
    environment: null,
    user: null,
    tags: [],
    contexts: {},
    context: {},
    packages: {},
    sdk: null,
    errors: [],
    fingerprints: ['1'.repeat(16), '2'.repeat(16)],
    groupingConfig: { id: 'mishap:1' },
    entries: [],
    nextEventID: null,
    previousEventID: 'a'.repeat(32),
    userReport: null,
    occurrence: null,
    _meta: {},
    number: 2,
    total: 3,
    traceId: null,
    spanId: null,
    replayId: null,
    digest: null,
    signs: null,
    digests: [],
    failure: null,
    repository: null,
    dateMapped: null,
    isUnhandled: true,
    attachments: [],
    grouping: { version: 1, variants: [] },
  })
})

describe('entries', () => {
  test.each<[string, Partial<NormalEvent>, object]>([
    [
      'exception',
      { exception: { values: [{ type: 'E', value: 'v', mechanism: { type: 'onerror', handled: false } }] } },
      {
        values: [
          {
            type: 'E',
            value: 'v',
            module: null,
            threadId: null,
            mechanism: { type: 'onerror', handled: false },
            stacktrace: null,
            rawStacktrace: null,
          },
        ],
        hasSystemFrames: false,
      },
    ],
    [
      'stacktrace',
      { stacktrace: { frames: [{ in_app: true }], frames_omitted: [1, 5] } },
      { frames: [{ ...noFrame, inApp: true }], framesOmitted: [1, 5], hasSystemFrames: false },
    ],
    [
      'message',
      { logentry: { message: 'hi %s', params: ['you'] } },
      { formatted: 'hi %s', message: 'hi %s', params: ['you'] },
    ],
    ['message', { logentry: { formatted: 'hi you' } }, { formatted: 'hi you', message: null, params: null }],
    ['csp', { csp: { effective_directive: 'script-src' } }, { effective_directive: 'script-src' }],
    ['template', { template: { filename: 'a.html', lineno: 3 } }, { filename: 'a.html', lineno: 3 }],
    [
      'threads',
      { threads: { values: [{ id: 0, name: 'main', current: true, stacktrace: { frames: [] } }] } },
      {
        values: [
          {
            id: 0,
            name: 'main',
            crashed: false,
            current: true,
            state: null,
            stacktrace: { frames: [], framesOmitted: null, hasSystemFrames: false },
          },
        ],
      },
    ],
    [
      'breadcrumbs',
      {
        breadcrumbs: {
          values: [
            { type: 'default', level: 'info' },
            { type: 'http', level: 'error', timestamp: 1.5 },
          ],
        },
      },
      {
        values: [
          { timestamp: null, type: 'default', category: null, level: 'info', message: null, data: null },
          {
            timestamp: '1970-01-01T00:00:01.500Z',
            type: 'http',
            category: null,
            level: 'error',
            message: null,
            data: null,
          },
        ],
      },
    ],
    [
      'request',
      { request: { url: 'https://a.test/', query_string: [['a', '1']] } },
      {
        url: 'https://a.test/',
        method: null,
        query: [['a', '1']],
        fragment: null,
        headers: [],
        cookies: [],
        data: null,
        env: null,
        inferredContentType: null,
      },
    ],
    ['debugmeta', { debug_meta: { images: [{ type: 'sourcemap' }] } }, { images: [{ type: 'sourcemap' }] }],
  ])('%s', (type, event, data) => {
    expect(entry(event)).toEqual({ type, data })
  })

  test.each<[string, Partial<NormalEvent>]>([
    ['exceptions', { exception: { values: [] } }],
    ['threads', { threads: { values: [] } }],
    ['breadcrumbs', { breadcrumbs: { values: [] } }],
    ['images', { debug_meta: { images: [] } }],
  ])('an empty list of %s has no entry', (_name, event) => {
    expect(rest(event).entries).toEqual([])
  })

  test('they stand in the order of the page', () => {
    const all: Partial<NormalEvent> = {
      debug_meta: { images: [{}] },
      request: {},
      breadcrumbs: { values: [{ type: 'a', level: 'info' }] },
      threads: { values: [{}] },
      template: {},
      csp: {},
      logentry: {},
      stacktrace: { frames: [] },
      exception: { values: [{}] },
    }
    expect(rest(all).entries.map((item) => item.type)).toEqual([
      'exception',
      'stacktrace',
      'message',
      'csp',
      'template',
      'threads',
      'breadcrumbs',
      'request',
      'debugmeta',
    ])
  })

  test.each([
    ['own and foreign', [true, false], true],
    ['own only', [true, true], false],
    ['foreign only', [false, false], false],
    ['none', [], false],
  ])('system frames can be hidden only where both kinds are: %s', (_name, inApp, expected) => {
    const frames = inApp.map((item) => ({ in_app: item }))
    const found = entry({ exception: { values: [{}, { stacktrace: { frames } }] } })
    expect(found).toMatchObject({ type: 'exception', data: { hasSystemFrames: expected } })
  })
})

describe('source around a frame', () => {
  const context = (frame: object) => {
    const found = entry({ stacktrace: { frames: [{ in_app: true, ...frame }] } })
    return found?.type === 'stacktrace' ? found.data.frames[0]?.context : undefined
  }
  test.each<[string, object, [number, string][]]>([
    [
      'both sides',
      { lineno: 10, context_line: 'b', pre_context: ['a'], post_context: ['c', 'd'] },
      [
        [9, 'a'],
        [10, 'b'],
        [11, 'c'],
        [12, 'd'],
      ],
    ],
    ['only the line', { lineno: 1, context_line: '' }, [[1, '']]],
    ['lines before the first are none', { lineno: 1, context_line: 'b', pre_context: ['x', 'y'] }, [[1, 'b']]],
    ['no line', { lineno: 5, pre_context: ['a'] }, []],
    ['no number', { context_line: 'b' }, []],
  ])('%s', (_name, frame, expected) => {
    expect(context(frame)).toEqual(expected)
  })
})

describe('what else the event says', () => {
  test.each<[string, Partial<NormalEvent>, object]>([
    ['message', { logentry: { formatted: 'a', message: 'b' } }, { message: 'a' }],
    ['release', { release: 'web@1', dist: '2' }, { release: { version: 'web@1' }, dist: '2' }],
    ['environment', { environment: 'production' }, { environment: 'production' }],
    [
      'user',
      { user: { id: '1', geo: { city: 'Bonn' } } },
      {
        user: {
          id: '1',
          email: null,
          username: null,
          name: null,
          ip_address: null,
          geo: { city: 'Bonn' },
          data: null,
        },
      },
    ],
    ['sdk', { sdk: { name: 's', version: '1' } }, { sdk: { name: 's', version: '1', packages: [], integrations: [] } }],
    ['extra', { extra: { a: 1 }, modules: { react: '19' } }, { context: { a: 1 }, packages: { react: '19' } }],
    [
      'trace',
      { contexts: { trace: { trace_id: 't', span_id: 's' }, replay: { replay_id: 'r' } } },
      { traceId: 't', spanId: 's', replayId: 'r' },
    ],
    ['trace of a wrong shape', { contexts: { trace: { trace_id: 5, span_id: '' } } }, { traceId: null, spanId: null }],
    ['meta', { _meta: { message: { '': { len: 9 } } } }, { _meta: { message: { '': { len: 9 } } } }],
  ])('%s', (_name, event, expected) => {
    expect(rest(event)).toMatchObject(expected)
  })

  test('the trace of the row stands in for a missing one', () => {
    expect(rest({}, { traceId: 'b'.repeat(32) }).traceId).toBe('b'.repeat(32))
  })

  test('tags are sorted by key', () => {
    expect(rest({}, { tags: { b: '1', a: '2', c: '' } }).tags).toEqual([
      { key: 'a', value: '2' },
      { key: 'b', value: '1' },
      { key: 'c', value: '' },
    ])
  })

  test.each([
    ['invalid_data', 'Discarded a value of the wrong shape.'],
    ['value_too_long', 'Cut a value that was longer than its limit.'],
    ['clock_drift', 'The client’s clock was wrong; the time was corrected.'],
    ['some_new_kind', 'Some new kind.'],
  ])('a remark of type %s in words', (type, message) => {
    const { errors } = rest({ errors: [{ type }, { type, name: 'a.b', value: 5, reason: 'why' }] })
    expect(errors).toEqual([
      { type, message, data: {} },
      { type, message, data: { name: 'a.b', value: 5, reason: 'why' } },
    ])
  })

  test('its signs, each with its sentence, and null for what there is not', () => {
    const none = { react: null, invariant: null, logged: null, hydration: null, skew: null, noise: null }
    const of = (signs: Diagnostics) => rest({ findings: { ...bare.findings, signs } }).signs
    expect(of({ react: { code: 9999 } })).toEqual({ ...none, react: { code: 9999, message: null } })
    expect(of({ invariant: { id: 'hook-order', found: 'f' } })?.invariant).toEqual({
      id: 'hook-order',
      found: 'f',
      ...invariants['hook-order'],
    })
    expect(of({ logged: { by: 'boundary', component: 'A' } })?.logged).toEqual({
      by: 'boundary',
      type: null,
      value: null,
      component: 'A',
      boundary: null,
    })
    const differences = [{ what: 'text' as const, client: 'b' }]
    expect(of({ hydration: { cause: 'browser-only', evidence: 'e', differences } })?.hydration).toEqual({
      cause: 'browser-only',
      sentence: hydrationCauses['browser-only'],
      evidence: 'e',
      component: null,
      differences: [{ what: 'text', name: null, server: null, client: 'b' }],
    })
    expect(of({ skew: { kind: 'rsc', found: 'x' }, noise: { kind: 'bot', found: 'y' } })).toEqual({
      ...none,
      skew: { kind: 'rsc', sentence: skewKinds.rsc, found: 'x' },
      noise: { kind: 'bot', sentence: noiseKinds.bot, found: 'y' },
    })
    expect(rest().signs).toBeNull()
  })

  test('when it was mapped again', () => {
    const findings = { ...bare.findings, mapped_again_ms: 1_795_000_100_000 }
    expect(rest({ findings }).dateMapped).toBe(new Date(1_795_000_100_000).toISOString())
  })

  test('grouping says of each variant why, and a missing hash is null', () => {
    const variants = [
      { name: 'app' as const, contributes: true, hash: '1'.repeat(16), why: 'w', values: ['v'] },
      { name: 'system' as const, contributes: false, why: 'same', values: [] },
    ]
    const { grouping } = rest({ findings: { ...bare.findings, grouping: { version: 4, variants } } })
    expect(grouping).toEqual({ version: 4, variants: [variants[0], { ...variants[1], hash: null }] })
  })

  test('attachments', () => {
    const item = {
      id: 4,
      projectId: 3,
      eventId: bare.event_id,
      name: 'a.txt',
      type: 'event.attachment',
      contentType: 'text/plain',
      bytes: 5,
      blobKey: 'secret/key',
      receivedMs: 1000,
    }
    expect(toRestAttachment(item)).toEqual({
      id: '4',
      name: 'a.txt',
      type: 'event.attachment',
      mimetype: 'text/plain',
      size: 5,
      dateCreated: '1970-01-01T00:00:01.000Z',
      event_id: bare.event_id,
    })
    expect(JSON.stringify(toRestEvent(rowOf({}), { ...place, attachments: [item] }))).not.toContain('secret/key')
  })
})
