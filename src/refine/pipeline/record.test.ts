import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { NormalEvent } from '../../domain/event.ts'
import type { RecordHead } from '../../journal/journal.ts'
import { effectOf } from '../kinds/error/events.ts'
import { plainSettings, recordedMs, refineBody, refineEvent } from './fixture.cases.ts'

const id = 'aaaabbbbccccddddaaaabbbbccccdddd'
const envelope = (header: object, ...items: [object, string][]) =>
  [JSON.stringify(header), ...items.flatMap(([head, payload]) => [JSON.stringify(head), payload])].join('\n')
const ends = (refined: ReturnType<typeof refineBody>) =>
  refined.outcomes.map(
    (outcome) => `${outcome.itemType} ${outcome.category} ${outcome.outcome} ${outcome.reason} ${outcome.quantity}`,
  )

describe('items of an envelope', () => {
  const cases: [string, string, string][] = [
    ['transaction', '{', 'transaction transaction invalid bad_json 1'],
    ['feedback', '{}', 'feedback feedback invalid bad_item 1'],
    ['user_report', '{}', 'user_report feedback invalid bad_item 1'],
    ['session', '{}', 'session session invalid bad_item 1'],
    ['sessions', '{}', 'sessions session invalid bad_item 1'],
    ['replay_event', '{}', 'replay_event replay filtered not_stored_yet 1'],
    ['replay_recording', 'x', 'replay_recording replay filtered not_stored_yet 1'],
    ['profile', '{}', 'profile profile filtered not_stored_yet 1'],
    ['span', '{}', 'span span invalid bad_item 1'],
    ['span', '[]', 'span span invalid bad_item 1'],
    ['log', '{}', 'log log_item invalid bad_item 1'],
    ['trace_metric', '{}', 'trace_metric trace_metric filtered not_stored_yet 1'],
    ['check_in', '{}', 'check_in monitor filtered not_stored_yet 1'],
    ['tomorrow', '{}', 'other unknown filtered unknown_item_type 1'],
    ['event', '{"a":', 'event error invalid bad_json 1'],
    ['event', '[1]', 'event error invalid bad_json 1'],
    ['raw_security', '{"what":1}', 'raw_security security invalid bad_item 1'],
    ['raw_security', '{', 'raw_security security invalid bad_json 1'],
  ]
  test.each(cases)('%s %s', (type, payload, expected) => {
    const refined = refineBody(envelope({ event_id: id }, [{ type }, payload]))
    expect([refined.events.length, ends(refined)]).toEqual([0, [expected]])
  })

  test('request, SDK and the place of the user are tags, unless nobody said them or a tag is called so', () => {
    const { tags } = refineEvent({
      request: { url: 'https://shop.test/', method: 'post' },
      sdk: { name: 'sentry.javascript.node', version: '10.1.0' },
      user: { id: '1', geo: { country_code: 'AT', city: 'Graz' } },
      tags: { 'geo.city': 'Wien' },
    }).row
    expect(tags).toMatchObject({
      'http.method': 'POST',
      'sdk.name': 'sentry.javascript.node',
      'sdk.version': '10.1.0',
      'geo.country_code': 'AT',
      'geo.city': 'Wien',
    })
    const bare = Object.keys(refineEvent({ message: 'x' }).row.tags)
    expect(bare.filter((key) => /^(?:sdk|geo|http)\./.test(key))).toEqual([])
  })

  test('an event: row, effect and outcome', () => {
    const refined = refineBody(
      envelope({ event_id: id.toUpperCase() }, [
        { type: 'event' },
        JSON.stringify({
          event_id: 'f'.repeat(32),
          exception: { type: 'E', value: 'v', mechanism: { handled: false, type: 'onerror' } },
          release: 'a@1',
          environment: 'prod',
          user: { email: 'a@b.example' },
          contexts: { trace: { trace_id: 'A'.repeat(32) } },
        }),
      ]),
    )
    const [event] = refined.events
    expect(event?.row).toMatchObject({
      projectId: 7,
      eventId: id,
      jpos: 1000,
      gen: 0,
      type: 'E',
      level: 'error',
      release: 'a@1',
      environment: 'prod',
      traceId: 'a'.repeat(32),
      receivedMs: recordedMs,
    })
    expect(event?.row.tags).toMatchObject({
      environment: 'prod',
      release: 'a@1',
      level: 'error',
      user: 'email:a@b.example',
      handled: 'no',
      mechanism: 'onerror',
    })
    expect(event?.row.userHash).toMatch(/^[0-9a-f]{16}$/)
    expect(event?.effect).toMatchObject({
      keyId: 3,
      title: 'E: v',
      kind: 'error',
      unhandled: true,
      hashes: event?.row.hashes,
      metadata: { type: 'E', value: 'v' },
    })
    expect(event?.outcome).toMatchObject({
      category: 'error',
      outcome: 'stored',
      reason: 'ok',
      itemType: 'event',
      quantity: 1,
    })
    expect(refined.outcomes).toEqual([])
  })

  test.each([
    [{ message: 'x' }, 'default'],
    [{ csp: { effective_directive: 'img-src' } }, 'security'],
    [{ exception: { type: 'E' } }, 'error'],
  ])('category of %j', (event, category) => {
    expect(refineEvent(event).outcome.category).toBe(category)
  })

  test('what accept took out is not counted again', () => {
    expect(ends(refineBody(envelope({}, [{ type: 'session' }, '{}'], [{ type: 'log' }, '{}']), { skip: [0] }))).toEqual(
      ['log log_item invalid bad_item 1'],
    )
  })

  test('an id is made when none is sent, and the same again', () => {
    const body = envelope({}, [{ type: 'event' }, '{}'])
    const [a, b] = [refineBody(body).events[0]?.row.eventId, refineBody(body).events[0]?.row.eventId]
    expect(a).toMatch(/^[0-9a-f]{32}$/)
    expect(a).toBe(b)
  })

  test('what clients discard', () => {
    const report = {
      discarded_events: [
        { category: 'error', reason: 'x', quantity: 3 },
        { category: 'metric', quantity: 2 },
        { category: 'odd', quantity: 1 },
        { category: 'error', quantity: -4 },
        null,
      ],
    }
    expect(ends(refineBody(envelope({}, [{ type: 'client_report' }, JSON.stringify(report)])))).toEqual([
      'client_report error client_discard sdk 3',
      'client_report trace_metric client_discard sdk 2',
      'client_report unknown client_discard sdk 1',
      'client_report internal filtered not_stored_yet 1',
    ])
  })

  test('a broken envelope is counted', () =>
    expect(ends(refineBody('{'))).toEqual(['envelope unknown invalid bad_envelope 1']))
  test('outcomes records are the loop’s', () =>
    expect(refineBody('{}', { kind: 'outcomes' })).toMatchObject({
      groups: [],
      attachments: [],
      effects: { feedback: [], samples: [], releases: [] },
      outcomes: [],
      received: 0,
    }))
})

describe('attachments', () => {
  test.each<[string, [object, string], string]>([
    ['an event that is none', [{ type: 'event' }, '{'], 'event error invalid bad_json 1'],
    ['feedback that is none', [{ type: 'feedback' }, '{}'], 'feedback feedback invalid bad_item 1'],
  ])('of %s are not kept: nothing bounds how many there are', (_name, owner, end) => {
    const refined = refineBody(envelope({ event_id: id }, owner, [{ type: 'attachment', length: 1 }, 'x']))
    expect(refined.attachments).toEqual([])
    expect(ends(refined).sort()).toEqual(['attachment attachment invalid event_missing 1', end].sort())
  })

  test('that only claim to be a minidump are not kept either', () => {
    const item = { type: 'attachment', length: 4, attachment_type: 'event.minidump' }
    const refined = refineBody(envelope({ event_id: id }, [item, 'none']))
    expect([refined.attachments, ends(refined)]).toEqual([[], ['attachment attachment invalid event_missing 1']])
  })

  test('of an event: name without folders, key of numbers and the id', () => {
    const refined = refineBody(
      envelope(
        { event_id: id },
        [{ type: 'attachment', length: 3, filename: '../../etc/pass\u202ewd', content_type: 'text/plain' }, 'abc'],
        [{ type: 'event' }, '{}'],
      ),
    )
    expect(refined.attachments[0]).toMatchObject({
      row: {
        eventId: id,
        name: 'passwd',
        type: 'event.attachment',
        contentType: 'text/plain',
        bytes: 3,
        blobKey: `attachments/7/${id}/1000-0`,
      },
      outcome: { outcome: 'stored', category: 'attachment', bytes: 3 },
    })
    expect(Buffer.from(refined.attachments[0]?.bytes ?? []).toString()).toBe('abc')
  })
  test('without an event', () =>
    expect(ends(refineBody(envelope({}, [{ type: 'attachment', length: 1 }, 'x'])))).toEqual([
      'attachment attachment invalid event_missing 1',
    ]))
  test('of what is not stored yet', () =>
    expect(
      ends(
        refineBody(
          envelope({ event_id: id }, [{ type: 'transaction' }, '{}'], [{ type: 'attachment', length: 1 }, 'x']),
        ),
      )[0],
    ).toBe('attachment attachment filtered not_stored_yet 1'))
  test('by form', () => {
    const body =
      '--b\r\ncontent-disposition: form-data; name="f"; filename="shot.png"\r\ncontent-type: image/png\r\n\r\nPNG\r\n--b--\r\n'
    const refined = refineBody(body, {
      kind: 'attachments',
      contentType: 'multipart/form-data; boundary=b',
      eventId: id,
    })
    expect(refined.attachments[0]?.row).toMatchObject({
      name: 'shot.png',
      contentType: 'image/png',
      bytes: 3,
      eventId: id,
    })
    expect(ends(refineBody('x', { kind: 'attachments', contentType: 'text/plain', eventId: id }))).toEqual([
      'attachment attachment invalid bad_item 1',
    ])
  })
})

describe('security reports', () => {
  const csp = {
    'csp-report': {
      'document-uri': 'https://a.example/p',
      'violated-directive': "script-src 'self'",
      'blocked-uri': 'https://evil.example/x.js',
    },
  }
  const head: Partial<RecordHead> = {
    kind: 'security',
    release: 'a@1',
    environment: 'prod',
    userAgent:
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36',
  }
  test('the older form', () => {
    const { row, effect } = refineBody(JSON.stringify(csp), head).events[0] ?? {}
    expect(effect).toMatchObject({
      title: "Blocked 'script' from 'evil.example'",
      culprit: 'script-src',
      kind: 'csp',
      logger: 'csp',
      release: 'a@1',
      environment: 'prod',
    })
    expect(row?.tags).toMatchObject({
      'effective-directive': 'script-src',
      'browser.name': 'Chrome',
      'os.name': 'Windows',
    })
  })
  test('the Reporting API: one event per report at positions of its own', () => {
    const body = [
      { documentURL: 'https://a.example/', blockedURL: 'inline', effectiveDirective: 'style-src-elem' },
      { documentURL: 'https://a.example/', blockedURL: 'data', effectiveDirective: 'img-src' },
    ]
    const refined = refineBody(
      JSON.stringify([
        ...body.map((entry) => ({ type: 'csp-violation', body: entry })),
        { type: 'deprecation', body: {} },
      ]),
      head,
    )
    expect(refined.events.map((event) => [event.row.jpos, event.effect.title])).toEqual([
      [1000, "Blocked unsafe inline 'style'"],
      [1001, "Blocked 'image' from 'data'"],
    ])
    expect(new Set(refined.events.map((event) => event.row.eventId)).size).toBe(2)
    expect(ends(refined)).toEqual(['security security filtered not_stored_yet 1'])
  })
  test('at most 100 of one request', () => {
    const refined = refineBody(
      JSON.stringify(Array.from({ length: 130 }, () => ({ type: 'csp-violation', body: {} }))),
      head,
    )
    expect([refined.events.length, ends(refined)]).toEqual([100, ['security security invalid too_many_items 30']])
  })
  test.each([
    [{ 'expect-ct-report': { hostname: 'a.example' } }, "Expect-CT failed for 'a.example'", 'expectct'],
    [{ 'expect-staple-report': { hostname: 'a.example' } }, "Expect-Staple failed for 'a.example'", 'expectstaple'],
    [{ hostname: 'a.example', 'known-pins': [] }, "Public key pinning validation failed for 'a.example'", 'hpkp'],
  ])('%j', (report, title, type) => {
    const event = refineBody(JSON.stringify(report), head).events[0]
    expect([event?.effect.title, event?.row.type]).toEqual([title, type])
  })
  test.each(['1', 'null', '[]', '{}', '"x"'])('%s is none', (body) =>
    expect(ends(refineBody(body, head))).toEqual(['security security invalid bad_item 1']),
  )
})

describe('the effect of a stored row', () => {
  test.each([
    { exception: { type: 'E', value: 'v\nw' } },
    { message: 'x', logger: 'l' },
    { csp: { effective_directive: 'a' } },
  ])('%j', (event) => {
    const { row, effect } = refineEvent(event)
    expect(effectOf(row, 3)).toEqual(effect)
  })
})

describe('hostile events', () => {
  const deep = (n: number, open: string, close: string) => open.repeat(n) + '1' + close.repeat(n)
  test.each([
    ['deep lists', `{"extra":{"a":${deep(100_000, '[', ']')}}}`],
    ['deep objects', `{"contexts":{"a":${deep(50_000, '{"a":', '}')}},"x":${deep(50_000, '{"a":', '}')}}`],
    [
      'deep in every part',
      `{${['exception', 'threads', 'request', 'user', 'tags', 'breadcrumbs', 'message', 'fingerprint', 'sdk', 'debug_meta', '_meta', 'csp', 'modules', 'errors'].map((key) => `"${key}":${deep(3000, '[', ']')}`).join(',')}}`,
    ],
    [
      'names that reach the prototype',
      '{"__proto__":{"message":"x"},"constructor":{"prototype":{"polluted":1}},"extra":{"__proto__":{"polluted":1},"constructor":1},"contexts":{"__proto__":{"polluted":1}},"tags":{"__proto__":"a","constructor":"b","hasOwnProperty":"c"},"_meta":{"__proto__":{"polluted":1}},"user":{"__proto__":{"polluted":1}}}',
    ],
    [
      'invalid UTF-8, lone surrogates, NUL',
      Buffer.concat([
        Buffer.from('{"message":"a'),
        Buffer.from([0xff, 0xc0]),
        Buffer.from('b\\ud800c\\u0000","tags":{"k\\udfff":"\\ud83d"}}'),
      ]),
    ],
    ['not-a-numbers', '{"extra":{"a":NaN,"b":-Infinity,"c":"NaN"},"message":"x"}'],
    ['a byte order mark', '\uFEFF{"message":"x"}'],
    [
      'types that are all wrong',
      JSON.stringify(
        Object.fromEntries(
          [
            'exception',
            'tags',
            'level',
            'platform',
            'release',
            'timestamp',
            'user',
            'request',
            'contexts',
            'csp',
            'breadcrumbs',
            'logentry',
            'sdk',
            'transaction',
            'checksum',
            'environment',
            'dist',
            'event_id',
            'culprit',
          ].map((key) => [key, { a: [{ b: null }, 1, true, 'x'] }]),
        ),
      ),
    ],
  ])('%s', (_, body) => {
    const event = refineBody(body as Buffer, { kind: 'store' }).events[0]
    expect(event).toBeDefined()
    const [normal = '', received = ''] = event?.row.payload.split('\n') ?? []
    expect(Object.keys(JSON.parse(received)).length).toBeGreaterThan(0)
    expect((JSON.parse(normal) as NormalEvent).findings.grouping.variants.length).toBeGreaterThan(0)
    expect(event?.row.payload.isWellFormed()).toBe(true)
    expect(event?.row.payload).not.toMatch(/\\u0000|\\ud800/)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
  test('of 100k tags 200 are kept', () => {
    const tags = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`t${i}`, 'v']))
    const sent = JSON.stringify({ tags })
    expect(refineEvent(sent).event.tags).toHaveLength(200)
  })
})

const recorded = `${import.meta.dirname}/../../../fixtures/envelopes`
describe('recorded envelopes', () => {
  test.skipIf(!existsSync(recorded))('all end with an outcome, events are stored', () => {
    for (const name of readdirSync(recorded).filter((file) => file.endsWith('.envelope'))) {
      const refined = refineBody(readFileSync(`${recorded}/${name}`))
      expect(
        refined.groups.length + refined.feedback.length + refined.attachments.length + refined.outcomes.length,
        name,
      ).toBeGreaterThan(0)
      expect(
        refined.outcomes.filter((outcome) => outcome.outcome === 'invalid'),
        name,
      ).toEqual([])
      if (/-event(?:\+attachment)?\.envelope$/.test(name)) expect(refined.events.length, name).toBe(1)
    }
  })
  test.skipIf(!existsSync(recorded))('titles and digests', () => {
    const titles = new Map([
      ['browser-11.12.0-exception120-01-event', "TypeError: Cannot read properties of undefined (reading 'price')"],
      ['browser-11.12.0-unhandled-03-event', 'a message'],
      ['node-11.12.0-exception-02-event', 'Error: db down'],
    ])
    for (const [name, title] of titles)
      expect(refineBody(readFileSync(`${recorded}/${name}.envelope`)).events[0]?.effect.title).toBe(title)
    for (const name of ['client-07', 'server-08'])
      expect(refineBody(readFileSync(`${recorded}/nextjs-11.8.0-${name}-event.envelope`)).events[0]?.row.digest).toBe(
        '3859755225',
      )
  })
})

const corpora = `${import.meta.dirname}/../../../../shared/corpora`
function files(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((file) => file.name.endsWith('.json'))
    .map((file) => `${file.parentPath}/${file.name}`)
}
describe('corpora', () => {
  if (!existsSync(corpora)) console.log('skipped: the corpora are not there')
  test.skipIf(!existsSync(corpora))('every event is stored, none throws', () => {
    const folders = [
      'bugsink-event-samples',
      'glitchtip-2022-mit/events/test_data/incoming_events',
      'relay-2022-apache/relay-general',
      'sentry-2022-apache/tests/sentry/grouping',
      'sentry-2022-apache/src/sentry/data/samples',
    ]
    for (const file of folders.flatMap((folder) => files(`${corpora}/${folder}`))) {
      const refined = refineBody(readFileSync(file), { kind: 'store' })
      if (refined.events.length === 0) expect(refined.spans.length, file).toBe(1)
    }
  })
  test.skipIf(!existsSync(corpora))('titles as the other server gave them', () => {
    const base = `${corpora}/glitchtip-2022-mit/events/test_data`
    for (const file of files(`${base}/oss_sentry_events`)) {
      const want = JSON.parse(readFileSync(file, 'utf8')) as { title: string; metadata: { type?: string } }
      const { event } = refineEvent(readFileSync(file.replace('oss_sentry_events', 'incoming_events'), 'utf8'))
      expect(event.findings.title.startsWith(want.title.replace(/\.\.\.$/, '')), file).toBe(true)
      expect(event.findings.metadata.type, file).toBe(want.metadata.type)
    }
  })
  test.skipIf(!existsSync(corpora))('pairs of browsers merge, different errors split', () => {
    const hashOf = (name: string) => {
      const file = `${corpora}/sentry-2022-apache/tests/sentry/grouping/grouping_inputs/javascript-xbrowser-${name}.json`
      return existsSync(file) ? refineEvent(readFileSync(file, 'utf8')).row.hashes : undefined
    }
    const http = ['http-edge', 'http-safari', 'http-chrome', 'http-firefox'].flatMap((name) =>
      [hashOf(name) ?? []].filter((entry) => entry.length),
    )
    expect(new Set(http.map((entry) => entry[0])).size).toBe(1)
  })
})

test('settings reach the steps', () => {
  const { row } = refineEvent({ extra: { colour: 'crimson' } }, {}, { ...plainSettings, sensitiveFields: ['colour'] })
  expect(row.payload).not.toContain('crimson')
})
