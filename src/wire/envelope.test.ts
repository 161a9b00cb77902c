import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EnvelopeWalk, headerBytesMax, parseEnvelope, readTraceHeader } from './envelope.ts'

const id = '0123456789abcdef0123456789abcdef'
const parse = (text: string | Buffer) => parseEnvelope(typeof text === 'string' ? Buffer.from(text) : text)
const items = (text: string | Buffer) => parse(text).value?.items.map((item) => [item.type, item.payload.toString()])

describe('framing that is right', () => {
  test.each([
    ['no items', '{}', []],
    ['no items, newline', '{}\n', []],
    ['an item without length, at EOF', '{}\n{"type":"event"}\n{"a":1}', [['event', '{"a":1}']]],
    ['an item without length, newline', '{}\n{"type":"event"}\n{"a":1}\n', [['event', '{"a":1}']]],
    ['with length', '{}\n{"type":"event","length":7}\n{"a":1}\n', [['event', '{"a":1}']]],
    ['with length, at EOF', '{}\n{"type":"event","length":7}\n{"a":1}', [['event', '{"a":1}']]],
    ['length in bytes, not characters', '{}\n{"type":"event","length":10}\n{"a":"é"}\n', [['event', '{"a":"é"}']]],
    [
      'newlines inside a sized payload',
      '{}\n{"type":"attachment","length":5}\na\n\nb\n\n{"type":"x"}\n1',
      [
        ['attachment', 'a\n\nb\n'],
        ['x', '1'],
      ],
    ],
    [
      'length 0, newline',
      '{}\n{"type":"attachment","length":0}\n\n{"type":"x"}\n1',
      [
        ['attachment', ''],
        ['x', '1'],
      ],
    ],
    ['length 0 at EOF', '{}\n{"type":"attachment","length":0}\n', [['attachment', '']]],
    ['length null counts as none', '{}\n{"type":"x","length":null}\n1', [['x', '1']]],
    ['last header at EOF', '{}\n{"type":"x"}', [['x', '']]],
    ['last sized header at EOF, length 0', '{}\n{"type":"x","length":0}', [['x', '']]],
    [
      'an empty payload without length',
      '{}\n{"type":"x"}\n\n{"type":"y"}\n1',
      [
        ['x', ''],
        ['y', '1'],
      ],
    ],
    [
      'blank lines between items and at the end',
      '{}\n\n\n{"type":"x"}\n1\n\n\n{"type":"y","length":1}\n2\n\n\n',
      [
        ['x', '1'],
        ['y', '2'],
      ],
    ],
    [
      '\\r belongs to the payload',
      '{}\r\n{"type":"x"}\r\n1\r\n\r\n{"type":"y"}\r\n2',
      [
        ['x', '1\r'],
        ['y', '2'],
      ],
    ],
    ['unknown types and headers', '{"z":1}\n{"type":"from_the_future","z":{"a":[]}}\n1', [['from_the_future', '1']]],
    ['blanks around JSON', ' {} \n {"type":"x"} \n1', [['x', '1']]],
    ['a payload that is no JSON', '{}\n{"type":"event"}\n{"a":', [['event', '{"a":']]],
  ])('%s', (_name, text, wanted) => {
    expect(parse(text).errors).toEqual([])
    expect(items(text)).toEqual(wanted)
  })
})

describe('framing that is wrong', () => {
  test.each([
    ['empty body', '', 0, 'the envelope header is empty'],
    ['empty header', '\n{"type":"x"}\n1', 0, 'the envelope header is empty'],
    ['header is no JSON', '{"a"\n', 0, 'the envelope header is not a JSON object'],
    ['header is an array', '[]\n', 0, 'the envelope header is not a JSON object'],
    ['header is null', 'null', 0, 'the envelope header is not a JSON object'],
    ['sent_at twice', '{"sent_at":"a","sent_at":"b"}', 0, 'sent_at twice'],
    ['item header is no JSON', '{}\n{"type":\n', 3, 'item 1: its header is not a JSON object'],
    ['second item header is no JSON', '{}\n{"type":"x"}\n1\nnope', 18, 'item 2: its header is not a JSON object'],
    ['item header without type', '{}\n{}\n1', 3, 'item 1: its header has no type'],
    ['type is no string', '{}\n{"type":5}\n1', 3, 'no type'],
    ['too few bytes', '{}\n{"type":"x","length":5}\n123', 30, 'item 1: 2 bytes of its length are missing'],
    ['a sized header at EOF', '{}\n{"type":"x","length":5}', 26, '5 bytes of its length are missing'],
    [
      'no newline behind a sized payload',
      '{}\n{"type":"x","length":2}\n123',
      29,
      'item 1: no newline after the payload',
    ],
    ['no newline behind length 0', '{}\n{"type":"x","length":0}\n1', 27, 'no newline after the payload'],
    ['\\r\\n behind a sized payload', '{}\n{"type":"x","length":1}\n1\r\n', 28, 'no newline after the payload'],
    ['negative length', '{}\n{"type":"x","length":-1}\n1', 3, 'length is not a whole number'],
    ['a fraction as length', '{}\n{"type":"x","length":1.5}\n1', 3, 'length is not a whole number'],
    ['text as length', '{}\n{"type":"x","length":"1"}\n1', 3, 'length is not a whole number'],
    ['an endless length', '{}\n{"type":"x","length":1e300}\n1', 3, 'length is not a whole number'],
    ['a header line without end', `{"a":"${'x'.repeat(headerBytesMax)}"}`, 0, 'longer than'],
  ])('%s', (_name, text, at, what) => {
    const { value, errors } = parse(text)
    expect(value).toBeUndefined()
    expect(errors).toHaveLength(1)
    expect(errors[0]?.what).toContain(what)
    expect([errors[0]?.at, errors[0]?.kind]).toEqual([at, 'bad_envelope'])
  })

  test('integration is not taken from outside', () => {
    expect(parse('{}\n{"type":"integration"}\n{}').errors[0]?.kind).toBe('bad_item')
  })

  test.each(['"zzz"', `"${'0'.repeat(32)}"`, '"00000000-0000-0000-0000-000000000000"', '5', '""'])(
    'event_id %s',
    (eventId) => {
      expect(parse(`{"event_id":${eventId}}`).errors[0]?.kind).toBe('bad_event_id')
    },
  )

  test('more items than allowed', () => {
    const text = `{}\n${'{"type":"x"}\n1\n'.repeat(4)}`
    const count = (max: number) => {
      const walk = new EnvelopeWalk(max)
      walk.push(Buffer.from(text))
      walk.end()
      return walk.error?.kind
    }
    expect([count(3), count(4)]).toEqual(['too_many_items', undefined])
  })
})

describe('the envelope header', () => {
  test('known keys and all others', () => {
    const text = `{"event_id":"01234567-89AB-cdef-0123-456789abcdef","sent_at":"2026-11-21T09:37:04Z","dsn":"http://k@h/1","more":{"a":1}}`
    expect(parse(text).value?.header).toEqual({
      eventId: id,
      sentAt: '2026-11-21T09:37:04Z',
      dsn: 'http://k@h/1',
      all: JSON.parse(text),
    })
  })

  test.each([
    ['inside another object', '{"sent_at":"a","trace":{"sent_at":"b"}}'],
    ['as a value', '{"sent_at":"sent_at"}'],
    ['as a value elsewhere', '{"sent_at":"a","b":"sent_at"}'],
    ['inside a text', '{"sent_at":"a","b":"\\"sent_at\\":"}'],
  ])('sent_at may occur %s', (_name, text) => {
    expect(parse(text).errors).toEqual([])
  })

  test('null stands for absent', () => {
    expect(parse('{"event_id":null,"sent_at":null,"dsn":null}').value?.header).toEqual({
      all: { event_id: null, sent_at: null, dsn: null },
    })
  })

  test.each([
    [
      'whole',
      { trace_id: id, public_key: 'k', sample_rate: '0.25' },
      { trace_id: id, public_key: 'k', sample_rate: '0.25' },
    ],
    [
      'numbers and booleans',
      { trace_id: id, public_key: 'k', sample_rate: 0.25, sampled: true },
      { trace_id: id, public_key: 'k', sample_rate: '0.25', sampled: 'true' },
    ],
    ['values of no use', { trace_id: id, public_key: 'k', x: {}, y: null }, { trace_id: id, public_key: 'k' }],
    [
      'segment_name',
      { trace_id: id, public_key: 'k', segment_name: 's' },
      { trace_id: id, public_key: 'k', segment_name: 's', transaction: 's' },
    ],
    ['no trace_id', { public_key: 'k' }, undefined],
    ['no public_key', { trace_id: id }, undefined],
    ['a text', 'broken', undefined],
    ['a list', [], undefined],
  ])('trace: %s, and the envelope goes on', (_name, trace, wanted) => {
    const { value } = parse(JSON.stringify({ trace }))
    expect(value && readTraceHeader(value.header)).toEqual(wanted)
  })

  test('bytes that are no UTF-8 become U+FFFD', () => {
    const { value } = parse(Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]))
    expect(value?.header.all).toEqual({ a: '\ufffd' })
  })

  test('deep nesting is no danger', () => {
    const deep = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
    expect(parse(deep).errors).toEqual([])
  })
})

test('payloads are views, not copies', () => {
  const bytes = Buffer.from('{}\n{"type":"x"}\n123')
  const item = parseEnvelope(bytes).value?.items[0]
  bytes[16] = 0x39
  expect(item?.payload.toString()).toBe('923')
  expect(item?.at).toBe(16)
})

const walkPieces = (bytes: Buffer, sizes: number[]) => {
  const walk = new EnvelopeWalk()
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = Math.max(1, sizes[turn % sizes.length] ?? 1)
    walk.push(bytes.subarray(at, at + size))
    at += size
  }
  walk.end()
  return { items: walk.items, header: walk.header?.all, error: walk.error?.what }
}

test('fuzz: never throws; pieces of any size give what the whole gives; payloads lie in order inside the body', () => {
  const word = fc.constantFrom(
    '\n',
    '\n',
    '\r',
    '{}',
    '{"type":"event"}',
    '{"type":"x","length":3}',
    '{"type":"a","length":0}',
    '{"type":"',
    '"length":',
    '{"event_id":"',
    id,
    'abc',
    '\u0000',
    'é',
    '[',
    '}',
    '"',
  )
  const piece = fc.oneof({ weight: 5, arbitrary: word }, { weight: 1, arbitrary: fc.string({ maxLength: 6 }) })
  const body = fc.array(piece, { maxLength: 24 }).map((pieces) => Buffer.from(`{}\n${pieces.join('')}`))
  const raw = fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes))
  fc.assert(
    fc.property(
      fc.oneof(body, raw),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 }),
      (bytes, sizes) => {
        const { value, errors } = parseEnvelope(bytes)
        expect(errors.length === 1).toBe(value === undefined)
        let end = 0
        for (const item of value?.items ?? []) {
          // An item with its header at EOF has an empty payload at EOF.
          expect(item.at).toBeGreaterThanOrEqual(end)
          end = item.at + item.payload.length
          if (item.payload.length > 0) expect(end).toBeLessThanOrEqual(bytes.length)
        }
        const whole = walkPieces(bytes, [bytes.length || 1])
        expect(walkPieces(bytes, sizes)).toEqual(whole)
      },
    ),
    { seed: 20261121, numRuns: 3000 },
  )
})

test('fuzz: what is written by the rules is read back', () => {
  const item = fc.record({
    type: fc.constantFrom('event', 'attachment', 'x'),
    payload: fc.uint8Array({ maxLength: 40 }),
    sized: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(item, { maxLength: 6 }), (written) => {
      const pieces: Buffer[] = [Buffer.from('{}\n')]
      const wanted: [string, string][] = []
      for (const { type, payload, sized } of written) {
        const bytes = sized ? Buffer.from(payload) : Buffer.from(payload.filter((byte) => byte !== 10))
        wanted.push([type, bytes.toString('hex')])
        pieces.push(
          Buffer.from(`${JSON.stringify(sized ? { type, length: bytes.length } : { type })}\n`),
          bytes,
          Buffer.from('\n'),
        )
      }
      const { value } = parseEnvelope(Buffer.concat(pieces))
      expect(value?.items.map(({ type, payload }) => [type, payload.toString('hex')])).toEqual(wanted)
    }),
    { seed: 7, numRuns: 1000 },
  )
})

test('every recorded envelope parses', () => {
  const folder = join(import.meta.dirname, '../../fixtures/envelopes')
  const names = [...readdirSync(folder), ...readdirSync(join(folder, 'cli')).map((name) => `cli/${name}`)].filter(
    (name) => name.endsWith('.envelope'),
  )
  expect(names.length).toBeGreaterThan(80)
  for (const name of names) {
    const { value, errors } = parseEnvelope(readFileSync(join(folder, name)))
    expect([name, errors]).toEqual([name, []])
    // The file name lists the items: browser-11.12.0-attachment-01-event+attachment.envelope.
    const said = /-\d\d-([a-z_+]+)\.envelope$/.exec(name)?.[1]
    if (said) expect([name, value?.items.map((entry) => entry.type).join('+')]).toEqual([name, said])
  }
})
