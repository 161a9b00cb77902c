import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { NormalEvent } from '../../../domain/event.ts'
import type { JournalRecord, RecordHead } from '../../../journal/journal.ts'
import { plainSettings, recordedMs, viewOf } from '../../pipeline/fixture.cases.ts'
import { refineRecord } from '../../pipeline/record.ts'
import { formOf, formType, makeDump } from './fixture.cases.ts'
import { openDumps } from './upload.ts'

const id = 'aaaabbbbccccddddaaaabbbbccccdddd'
const crash = makeDump({ crash: { code: 11, flags: 1, address: 0x10n } })

async function refine(body: Buffer, head: Partial<RecordHead> = {}) {
  const whole: RecordHead = {
    kind: 'minidump',
    receivedMs: recordedMs,
    projectId: 7,
    organizationId: 1,
    keyId: 3,
    clientAddress: '203.0.113.9',
    userAgent: '',
    origin: '',
    contentType: formType,
    eventId: id,
    ...head,
  }
  const record: JournalRecord = { jpos: 1000, end: 2000, head: whole, body }
  const refined = viewOf(refineRecord(record, body, plainSettings, undefined, await openDumps(whole, body)))
  const [first] = refined.events
  const event = first ? (JSON.parse(first.row.payload.split('\n')[0] ?? '') as NormalEvent) : undefined
  return { refined, first, event }
}

const endsOf = ({ refined }: Awaited<ReturnType<typeof refine>>) =>
  [...[...refined.events, ...refined.attachments].map((event) => event.outcome), ...refined.outcomes].map(
    (outcome) => `${outcome.itemType} ${outcome.outcome} ${outcome.reason}`,
  )
const upload = (value: Buffer, file = 'crash.dmp') => ({ name: 'upload_file_minidump', file, value })

describe('a crash reporter’s form', () => {
  test('the dump is an attachment and says what crashed', async () => {
    const { first, event, refined } = await refine(formOf([upload(crash)]))
    expect(first?.effect).toMatchObject({ title: 'SIGSEGV / SEGV_MAPERR: shop+0xabc', kind: 'error', unhandled: true })
    expect(first?.row).toMatchObject({ eventId: id, level: 'fatal' })
    expect(event).toMatchObject({
      platform: 'native',
      timestamp: 1_795_253_000,
      contexts: {
        os: { name: 'Linux', version: '6.1.0' },
        device: { arch: 'x86_64' },
        minidump: { crashed: true, address: '0x10', instruction: '0x400abc', modules: 1 },
      },
      debug_meta: { images: [{ code_file: '/srv/app/shop', image_addr: '0x400000' }] },
      errors: [{ type: 'native_not_symbolicated' }],
    })
    expect(event?.exception?.values).toMatchObject([
      {
        thread_id: 7,
        mechanism: { type: 'minidump', handled: false },
        stacktrace: {
          frames: [{ instruction_addr: '0x400abc', module: 'shop+0xabc', package: '/srv/app/shop', in_app: true }],
        },
      },
    ])
    expect(refined.attachments).toMatchObject([
      {
        row: { name: 'crash.dmp', type: 'event.minidump', bytes: crash.length, eventId: id },
        outcome: { category: 'attachment', outcome: 'stored' },
      },
    ])
    expect(Buffer.from(refined.attachments[0]?.bytes ?? []).equals(crash)).toBe(true)
  })

  const sent = { release: 'shop@1.2', environment: 'beta', tags: { gpu: 'none' }, user: { id: '5' } }
  const halves = JSON.stringify(sent)
  test.each([
    ['sentry', [{ name: 'sentry', value: halves }]],
    [
      'sentry__1 to sentry__n, in any order',
      [
        { name: 'sentry__10', value: halves.slice(20) },
        { name: 'sentry__2', value: halves.slice(0, 20) },
      ],
    ],
    [
      'sentry[a][b]',
      [
        { name: 'sentry[release]', value: 'shop@1.2' },
        { name: 'sentry[environment]', value: 'beta' },
        { name: 'sentry[tags][gpu]', value: 'none' },
        { name: 'sentry[user][id]', value: '5' },
      ],
    ],
  ])('the event in %s', async (_name, fields) => {
    const { event, first } = await refine(formOf([...fields, upload(crash)]))
    expect(event).toMatchObject({ release: 'shop@1.2', environment: 'beta', user: { id: '5' }, platform: 'native' })
    expect(first?.row.tags).toMatchObject({ gpu: 'none', environment: 'beta' })
  })

  test('what the sender says stands; the dump fills what is missing', async () => {
    const value = JSON.stringify({
      platform: 'csharp',
      level: 'warning',
      exception: { type: 'Own', value: 'told by the SDK' },
      contexts: { os: { name: 'Mine' } },
      fingerprint: ['x'],
      errors: [{ type: 'other', name: 'a' }],
    })
    const { event, first } = await refine(formOf([{ name: 'sentry', value }, upload(crash)]))
    expect(first?.effect.title).toBe('Own: told by the SDK')
    expect(event).toMatchObject({ platform: 'csharp', level: 'warning', fingerprint: ['x'] })
    expect(event?.contexts).toMatchObject({ os: { name: 'Mine' }, device: { arch: 'x86_64' } })
    expect(event?.errors.map((error) => error.type)).toEqual(['other', 'native_not_symbolicated'])
  })

  test('other fields are extra data, other files attachments', async () => {
    const { event, refined } = await refine(
      formOf([
        { name: 'ptype', value: 'browser' },
        { name: '__proto__', value: 'x' },
        upload(crash),
        { name: 'log', file: '../app.log', type: 'text/plain', value: 'lines' },
        { name: 'upload_file_minidump', file: 'second.dmp', value: crash },
      ]),
    )
    expect(event?.extra).toMatchObject({ ptype: 'browser' })
    expect(refined.attachments.map(({ row }) => [row.name, row.type, row.contentType])).toEqual([
      ['crash.dmp', 'event.minidump', 'application/x-dmp'],
      ['app.log', 'event.attachment', 'text/plain'],
      ['second.dmp', 'event.attachment', ''],
    ])
  })

  test('the same place is one issue, another place another', async () => {
    const at = async (instruction: bigint) =>
      (await refine(formOf([upload(makeDump({ crash: { code: 11, instruction } }))]))).first?.row.hashes.join()
    expect(await at(0x400abcn)).toBe(await at(0x400abcn))
    expect(await at(0x400abcn)).not.toBe(await at(0x400abdn))
  })

  test('a dump without a crash is no error of the program', async () => {
    const { first, event } = await refine(formOf([upload(makeDump())]))
    expect([first?.effect.title, event?.level, first?.effect.unhandled]).toEqual([
      'Minidump: written without a crash, shop',
      'info',
      false,
    ])
  })

  test('a crash outside of every module', async () => {
    const dump = makeDump({ crash: { code: 11, instruction: 0xdead0000n } })
    expect((await refine(formOf([upload(dump)]))).first?.effect.title).toBe('SIGSEGV: outside of every module, shop')
  })
})

describe('other ways to send one', () => {
  test.each([
    ['as the body', crash, 'application/octet-stream', 'minidump.dmp'],
    ['as the body, gzip', gzipSync(crash), '', 'minidump.dmp'],
    ['gzip in a form', formOf([upload(gzipSync(crash), 'a/b.dmp.gz')]), formType, 'b.dmp'],
  ])('%s', async (_name, body, contentType, name) => {
    const { first, refined } = await refine(body, { contentType })
    expect(first?.effect.title).toBe('SIGSEGV / SEGV_MAPERR: shop+0xabc')
    expect(refined.attachments[0]?.row).toMatchObject({ name, bytes: crash.length, type: 'event.minidump' })
  })

  const envelope = (...items: [object, Buffer | string][]) =>
    Buffer.concat(
      [
        `{"event_id":"${id}"}\n`,
        ...items.flatMap(([head, payload]) => [`${JSON.stringify(head)}\n`, payload, '\n']),
      ].map((entry) => Buffer.from(entry)),
    )
  const item = (payload: Buffer): [object, Buffer] => [
    { type: 'attachment', length: payload.length, filename: 'x.dmp', attachment_type: 'event.minidump' },
    payload,
  ]
  test.each([
    ['with its event', [[{ type: 'event' }, '{"release":"a@1"}'], item(crash)], 'a@1', 2],
    ['before its event', [item(crash), [{ type: 'event' }, '{"release":"a@1"}']], 'a@1', 2],
    ['compressed', [[{ type: 'event' }, '{"release":"a@1"}'], item(gzipSync(crash))], 'a@1', 2],
    ['without one: the dump makes it', [item(crash)], undefined, 2],
    ['with a session', [[{ type: 'session' }, '{}'], item(crash)], undefined, 3],
  ] as [string, [object, Buffer | string][], string | undefined, number][])(
    '%s',
    async (_name, items, release, count) => {
      const { refined, event, first } = await refine(envelope(...items), { kind: 'envelope', contentType: '' })
      expect([first?.effect.title, event?.release, event?.event_id]).toEqual([
        'SIGSEGV / SEGV_MAPERR: shop+0xabc',
        release,
        id,
      ])
      expect(refined.attachments[0]?.row).toMatchObject({ eventId: id, type: 'event.minidump', bytes: crash.length })
      // Each outcome belongs to a received item.
      expect(refined.received).toBe(count)
      expect(refined.events.length + refined.attachments.length + refined.outcomes.length).toBe(count)
    },
  )

  /** The dump file of Electron's crash reporter on Linux: the whole body of an upload. */
  const electron = (dump: Buffer) =>
    Buffer.from(
      formOf([
        { name: 'prod', value: 'Electron' },
        { name: 'ver', value: '41.0.1' },
        { name: 'upload_file_minidump', file: 'dump', type: 'application/octet-stream', value: dump },
      ])
        .toString('latin1')
        .replaceAll('--b', '------------------------0a1b2c'),
      'latin1',
    )
  test.each([
    ['plain', crash],
    ['compressed', gzipSync(crash)],
  ])('Electron on Linux: the dump is a form itself, %s', async (_name, dump) => {
    const sent = { name: 'sentry', value: '{"release":"shop@1","extra":{"ver":"mine"}}' }
    const found = await refine(formOf([sent, upload(electron(dump)), { name: 'log', file: 'a.log', value: 'x' }]))
    expect(found.first?.effect.title).toBe('SIGSEGV / SEGV_MAPERR: shop+0xabc')
    expect(found.event).toMatchObject({ release: 'shop@1', extra: { prod: 'Electron', ver: 'mine' } })
    expect(found.refined.attachments.map(({ row }) => [row.name, row.type, row.bytes])).toEqual([
      ['dump', 'event.minidump', crash.length],
      ['a.log', 'event.attachment', 1],
    ])
    expect(new Set(found.refined.attachments.map(({ row }) => row.blobKey)).size).toBe(2)
    expect(endsOf(found)).toEqual(['event stored ok', 'attachment stored ok', 'attachment stored ok'])
  })
  test('the same alone as the body, and beside a second dump', async () => {
    const alone = await refine(electron(crash), { contentType: '' })
    expect(alone.first?.effect.title).toBe('SIGSEGV / SEGV_MAPERR: shop+0xabc')
    const other = makeDump({ writtenS: 1 })
    const both = await refine(formOf([upload(electron(crash)), upload(other, 'other.dmp')]))
    expect(both.first?.effect.title).toBe('SIGSEGV / SEGV_MAPERR: shop+0xabc')
    expect(both.refined.attachments.map(({ row }) => [row.name, row.type])).toEqual([
      ['dump', 'event.minidump'],
      ['other.dmp', 'event.attachment'],
    ])
  })
  test.each([
    ['with its event, plain', [[{ type: 'event' }, '{"release":"a@1"}'], item(electron(crash))], 'a@1'],
    ['with its event, compressed', [[{ type: 'event' }, '{"release":"a@1"}'], item(electron(gzipSync(crash)))], 'a@1'],
    ['alone', [item(electron(crash))], undefined],
  ] as [string, [object, Buffer | string][], string | undefined][])(
    'the same in an envelope, %s: the dump alone is kept',
    async (_name, items, release) => {
      const { refined, event, first } = await refine(envelope(...items), { kind: 'envelope', contentType: '' })
      expect(first?.effect.title).toBe('SIGSEGV / SEGV_MAPERR: shop+0xabc')
      expect([event?.release, event?.extra]).toEqual([release, { prod: 'Electron', ver: '41.0.1' }])
      expect(refined.attachments.map(({ row }) => [row.name, row.bytes])).toEqual([['x.dmp', crash.length]])
      expect(refined.events.length + refined.attachments.length + refined.outcomes.length).toBe(2)
    },
  )

  test('what only calls itself one is a file', async () => {
    const { event, refined } = await refine(
      envelope([{ type: 'event' }, '{"message":"m"}'], item(Buffer.from('text'))),
      {
        kind: 'envelope',
      },
    )
    expect([event?.exception, event?.errors, refined.attachments.length]).toEqual([undefined, [], 1])
  })

  test('one that accept took out is not unpacked', async () => {
    const head: Partial<RecordHead> = { kind: 'envelope', skip: [1] }
    const body = envelope([{ type: 'event' }, '{"message":"m"}'], item(gzipSync(crash)))
    expect((await openDumps({ ...baseHead, ...head }, body)).size).toBe(0)
    expect((await refine(body, head)).event?.exception).toBeUndefined()
  })
})

describe('hostile uploads', () => {
  const cut = gzipSync(crash).subarray(0, 100)
  const bomb = gzipSync(Buffer.concat([crash, Buffer.alloc(64 * 1024 * 1024)]))
  test.each([
    ['broken', cut, 'attachment invalid bad_encoding', 'it could not be unpacked'],
    ['a bomb', bomb, 'attachment invalid too_large', 'it unpacks beyond its limit'],
    ['no dump inside', gzipSync('hello'), 'attachment stored ok', 'what was unpacked is no minidump'],
    ['cut off', crash.subarray(0, 20), 'attachment stored ok', 'it ends early'],
  ])('%s: the event is kept and says so', async (_name, dump, end, why) => {
    const found = await refine(formOf([upload(dump)]))
    expect(endsOf(found)).toEqual(['event stored ok', end])
    expect(found.first?.effect.title).toBe('Native crash: the minidump could not be read')
    expect(found.event?.errors).toMatchObject([{ type: 'minidump_unreadable', value: why }])
  })

  test.each([
    ['no dump', formOf([{ name: 'sentry', value: '{}' }])],
    ['another magic', formOf([upload(Buffer.from('PK\x03\x04'))])],
    ['no form', Buffer.from('x')],
    ['a form in its place that is not closed', formOf([upload(Buffer.from('--c\r\nContent-Disposition: x'))])],
    ['a form in its place without a dump', formOf([upload(formOf([{ name: 'a', value: 'b' }]))])],
  ])('%s ends as invalid', async (_name, body) => {
    expect(endsOf(await refine(body))).toEqual(['event invalid bad_item'])
  })

  test('more than 30 files beside the dump', async () => {
    const files = Array.from({ length: 40 }, (_, i) => ({ name: `f${i}`, file: `f${i}`, value: 'x' }))
    const ends = endsOf(await refine(formOf([...files, upload(crash)])))
    expect([ends.filter((end) => end.endsWith('stored ok')).length, ends.length]).toEqual([32, 42])
  })

  test.each([
    ['no JSON', '{"a":', 'invalid_data'],
    ['a list', '[1]', 'invalid_data'],
    ['deep lists', `{"extra":{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`, 'native_not_symbolicated'],
    ['lone surrogates and NUL', '{"release":"a\\u0000","tags":{"k":"\\ud83d"}}', 'native_not_symbolicated'],
    ['names that reach the prototype', '{"__proto__":{"x":1},"constructor":{"y":2}}', 'native_not_symbolicated'],
  ])('the form’s event: %s', async (_name, value, error) => {
    const found = await refine(
      formOf([
        { name: 'sentry', value },
        { name: 'sentry[__proto__][polluted]', value: 'x' },
        { name: `sentry${'[a]'.repeat(100)}`, value: 'x' },
        upload(crash),
      ]),
    )
    expect(endsOf(found)).toEqual(['event stored ok', 'attachment stored ok'])
    expect(found.event?.errors.map((entry) => entry.type)).toContain(error)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    expect(found.first?.row.payload).not.toContain('\0')
  })

  test('a project’s discarded issue takes the files with it', async () => {
    const hashes = (await refine(formOf([upload(crash)]))).first?.row.hashes ?? []
    const body = formOf([upload(crash), { name: 'log', file: 'a.log', value: 'x' }])
    const head = { ...baseHead, contentType: formType }
    const record = { jpos: 1, end: 2, head, body }
    const settings = { ...plainSettings, discardedHashes: hashes }
    const refined = viewOf(refineRecord(record, body, settings, undefined, new Map()))
    expect([refined.events.length, refined.attachments.length]).toEqual([0, 0])
    expect(refined.outcomes.map((outcome) => `${outcome.itemType} ${outcome.outcome} ${outcome.reason}`)).toEqual([
      'event filtered discarded',
      'attachment filtered discarded',
      'attachment filtered discarded',
    ])
  })
})

const baseHead: RecordHead = {
  kind: 'minidump',
  receivedMs: recordedMs,
  projectId: 7,
  organizationId: 1,
  keyId: 3,
  clientAddress: '',
  userAgent: '',
  origin: '',
  contentType: '',
  eventId: id,
}

const corpus = `${import.meta.dirname}/../../../../../shared/corpora/bugsink-event-samples/minidumps`
test.skipIf(!existsSync(corpus))('every real dump is an event with a title and an attachment', async () => {
  for (const name of readdirSync(corpus).filter((file) => file.endsWith('.dmp'))) {
    const bytes = readFileSync(`${corpus}/${name}`)
    const found = await refine(formOf([upload(bytes, name)]))
    const real = bytes.toString('latin1', 0, 4) === 'MDMP'
    expect(endsOf(found), name).toEqual(real ? ['event stored ok', 'attachment stored ok'] : ['event invalid bad_item'])
    if (real) expect(found.first?.effect.title, name).toMatch(/^(?:SIG|EXC|STATUS|NSException|Minidump)\S*.*: .*\w/)
  }
})
