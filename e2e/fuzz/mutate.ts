// Creates requests by breaking recorded envelopes in their framing, headers, item headers, JSON structure, encodings,
// sizes and routes. The same seed creates the same request.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { makeDump } from '../../src/refine/kinds/minidump/fixture.cases.ts'
import { attributesOf, jsonBody, jsonSpan, protobufOf } from '../../src/wire/otlp.cases.ts'

type Random = () => number

export type Fuzzed = {
  method: string
  path: string
  headers: Record<string, string>
  body: Buffer
  /** The client disconnects after this many bytes of the body. */
  leaveAt?: number
  /** The applied mutations, for the message of a failure. */
  what: string[]
}

type Item = { header: unknown; payload: Buffer }
type Envelope = { header: unknown; items: Item[] }
type Target = { id: string; key: string }

const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
const chance = (random: Random, share: number) => random() < share

/** Parses a recorded envelope. A payload without a length ends at the newline. */
function readEnvelope(bytes: Buffer): Envelope {
  const lineAt = (at: number) => {
    const end = bytes.indexOf(10, at)
    return end < 0 ? bytes.length : end
  }
  const first = lineAt(0)
  const envelope: Envelope = { header: JSON.parse(bytes.toString('utf8', 0, first) || '{}'), items: [] }
  for (let at = first + 1; at < bytes.length; ) {
    const end = lineAt(at)
    const text = bytes.toString('utf8', at, end)
    at = end + 1
    if (text.trim() === '') continue
    const header = JSON.parse(text) as { length?: number }
    const to = typeof header.length === 'number' ? at + header.length : lineAt(at)
    envelope.items.push({ header, payload: bytes.subarray(at, to) })
    at = to + 1
  }
  return envelope
}

export function recordedEnvelopes(folder: string): Envelope[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.envelope'))
    .flatMap((name) => {
      try {
        return [readEnvelope(readFileSync(join(folder, name)))]
      } catch {
        return []
      }
    })
}

const itemTypes = [
  'event',
  'transaction',
  'attachment',
  'session',
  'sessions',
  'client_report',
  'user_report',
  'feedback',
  'check_in',
  'profile',
  'profile_chunk',
  'replay_event',
  'replay_recording',
  'replay_video',
  'span',
  'log',
  'otel_log',
  'trace_metric',
  'statsd',
  'metric_buckets',
  'security',
  'raw_security',
  'nel',
  'form_data',
  'unreal_report',
  '',
  'made_up',
  '__proto__',
  'constructor',
]

const strings: ((random: Random) => string)[] = [
  () => '',
  () => '\u0000\u0001\u001f',
  () => '\ud800 lonely \udc00',
  () => '../../../../etc/passwd',
  () => '<script>alert(1)</script><img src=x onerror=alert(1)>',
  () => "'; DROP TABLE events; -- \\' \\\\ \t\n\r\\N",
  () => '{{ default }}',
  () => '💥'.repeat(200),
  () => 'a'.repeat(70_000),
  () => '\n'.repeat(500),
  () => '9'.repeat(400),
  () => '2026-13-45T99:99:99Z',
  () => 'f'.repeat(32),
  (random) => String.fromCharCode(...Array.from({ length: 40 }, () => Math.floor(random() * 65_536))),
  () => '(a+)+$'.repeat(50),
  () => `https://a:b@[::1]:99999/${'%2e%2e/'.repeat(80)}?q=${'&x=y'.repeat(200)}`,
]

const nested = (depth: number): unknown => {
  let value: unknown = 1
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value }
  return value
}

const values: ((random: Random) => unknown)[] = [
  () => null,
  () => true,
  () => 0,
  () => -0.0,
  () => 1e308,
  () => -1e308,
  () => 2 ** 53,
  () => 1e-320,
  () => [],
  () => ({}),
  () => [[[]]],
  () => nested(60),
  () => nested(400),
  () => Array.from({ length: 3000 }, (_, i) => i),
  () => Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`k${i}`, i])),
  () => JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":1},"toString":1,"length":-1}') as unknown,
  () => [['a', 'b'], ['a'], null, 'a', { key: 'a' }],
  () => ({ values: [null, 1, 'x', [], {}] }),
  (random) => pick(random, strings)(random),
]

type Place = { holder: Record<string, unknown> | unknown[]; key: string | number }

/** The places in a JSON value, at most about 3,000. */
function placesOf(value: unknown, found: Place[] = []): Place[] {
  if (typeof value !== 'object' || value === null || found.length > 3000) return found
  if (Array.isArray(value))
    value.forEach((inner, key) => {
      found.push({ holder: value, key })
      placesOf(inner, found)
    })
  else
    for (const key of Object.keys(value)) {
      found.push({ holder: value as Record<string, unknown>, key })
      placesOf((value as Record<string, unknown>)[key], found)
    }
  return found
}

/** Breaks a JSON value in one to six places and appends each mutation to `what`. */
function breakJson(value: unknown, random: Random, what: string[]): unknown {
  const copy = structuredClone(value)
  for (let n = 1 + Math.floor(random() * 6); n > 0; n--) {
    const places = placesOf(copy)
    const place = places.length > 0 ? pick(random, places) : undefined
    if (!place) return pick(random, values)(random)
    const holder = place.holder as Record<string | number, unknown>
    const act = Math.floor(random() * 5)
    if (act === 0) delete holder[place.key]
    else if (act === 1)
      holder[place.key] = pick(random, placesOf(copy)).holder === holder ? null : structuredClone(copy)
    else if (act === 2 && !Array.isArray(place.holder)) holder[pick(random, strings)(random)] = holder[place.key]
    else if (act === 3 && Array.isArray(place.holder))
      for (let i = 0; i < 150; i++) place.holder.push(structuredClone(holder[place.key]))
    else holder[place.key] = pick(random, values)(random)
    what.push(`json ${act} at ${String(place.key).slice(0, 20)}`)
    if (JSON.stringify(copy)?.length > 900_000) break
  }
  return copy
}

function breakPayload(item: Item, random: Random, what: string[]): void {
  const act = random()
  if (act < 0.7) {
    try {
      const broken: unknown = breakJson(JSON.parse(item.payload.toString('utf8')), random, what)
      item.payload = Buffer.from(JSON.stringify(broken) ?? '')
      return
    } catch {
      // Not JSON. The code below breaks its bytes.
    }
  }
  item.payload = breakBytes(item.payload, random, what)
}

/** Changes, cuts, doubles, rotates or inserts bytes. */
function breakBytes(bytes: Buffer, random: Random, what: string[]): Buffer {
  const at = Math.floor(random() * (bytes.length + 1))
  const act = Math.floor(random() * 6)
  what.push(`bytes ${act} at ${at}`)
  if (act === 0) return bytes.subarray(0, at)
  if (act === 1)
    return Buffer.concat([bytes.subarray(0, at), Buffer.from([0xff, 0xfe, 0x00, 0xc3]), bytes.subarray(at)])
  if (act === 2) return Buffer.concat([bytes, bytes])
  if (act === 3) return Buffer.concat([bytes.subarray(0, at), Buffer.from('\r\n\n'), bytes.subarray(at)])
  if (act === 4) return Buffer.concat([bytes.subarray(at), bytes.subarray(0, at)])
  const flipped = Buffer.from(bytes)
  for (let i = 0; i < 1 + bytes.length / 500; i++)
    flipped[Math.floor(random() * bytes.length)] = Math.floor(random() * 256)
  return flipped
}

const lengths: ((length: number) => unknown)[] = [
  (length) => length + 1,
  (length) => length - 1,
  () => -1,
  () => 0,
  () => 1e15,
  () => 2.5,
  (length) => String(length),
  () => null,
  () => 300 * 2 ** 20,
]

function breakItemHeader(item: Item, random: Random, what: string[]): void {
  const header = (typeof item.header === 'object' && item.header ? { ...item.header } : {}) as Record<string, unknown>
  const act = Math.floor(random() * 6)
  what.push(`item header ${act}`)
  if (act === 0) header.type = pick(random, itemTypes)
  else if (act === 1) header.length = pick(random, lengths)(item.payload.length)
  else if (act === 2) delete header.type
  else if (act === 3) delete header.length
  else if (act === 4)
    header[pick(random, ['filename', 'content_type', 'attachment_type', 'item_count', 'platform', 'x'])] = pick(
      random,
      values,
    )(random)
  item.header = act === 5 ? pick(random, values)(random) : header
}

function breakHeader(envelope: Envelope, random: Random, what: string[]): void {
  const header = { ...(envelope.header as Record<string, unknown>) }
  const name = pick(random, ['event_id', 'dsn', 'sent_at', 'sdk', 'trace', 'x', '__proto__'])
  what.push(`header ${name}`)
  if (chance(random, 0.3)) delete header[name]
  else header[name] = pick(random, values)(random)
  envelope.header = chance(random, 0.05) ? pick(random, values)(random) : header
}

/** Serializes an envelope, sometimes with broken framing. */
function writeEnvelope(envelope: Envelope, random: Random, what: string[]): Buffer {
  const newline = chance(random, 0.05) ? '\r\n' : '\n'
  const text = (value: unknown) => JSON.stringify(value) ?? 'undefined'
  const parts: Buffer[] = [Buffer.from(text(envelope.header) + newline)]
  for (const { header, payload } of envelope.items) {
    parts.push(Buffer.from(text(header) + newline), payload, Buffer.from(chance(random, 0.03) ? '' : newline))
    if (chance(random, 0.03)) parts.push(Buffer.from('\n\n \n'))
  }
  const bytes = Buffer.concat(parts)
  return chance(random, 0.08) ? breakBytes(bytes, random, what) : bytes
}

const encoders: [string, (bytes: Buffer) => Buffer][] = [
  ['gzip', (bytes) => gzipSync(bytes)],
  ['deflate', (bytes) => deflateSync(bytes)],
  ['deflate', (bytes) => deflateRawSync(bytes)],
  ['br', (bytes) => brotliCompressSync(bytes)],
  ['zstd', (bytes) => zstdCompressSync(bytes)],
  ['identity', (bytes) => bytes],
  ['gzip, br', (bytes) => brotliCompressSync(gzipSync(bytes))],
  ['made-up', (bytes) => bytes],
]

function encode(fuzzed: Fuzzed, random: Random): void {
  if (chance(random, 0.7)) return
  const [name, run] = pick(random, encoders)
  let bytes = run(fuzzed.body)
  if (chance(random, 0.1)) bytes = run(bytes)
  if (chance(random, 0.15)) bytes = breakBytes(bytes, random, fuzzed.what)
  fuzzed.what.push(name)
  fuzzed.body = bytes
  fuzzed.headers['content-encoding'] = chance(random, 0.1) ? pick(random, encoders)[0] : name
}

const contentTypes = [
  'text/plain;charset=UTF-8',
  'application/json',
  'application/x-sentry-envelope',
  'application/csp-report',
  'application/reports+json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'multipart/form-data',
  'text/html; charset=\u00ff',
  '',
]

function address(fuzzed: Fuzzed, target: Target, random: Random): void {
  // Most requests need valid credentials, because most code runs after authentication.
  const auth = Math.floor(random() * 60)
  let query = `sentry_key=${target.key}&sentry_version=7`
  if (auth === 0) query = ''
  else if (auth === 1) query = `sentry_key=${'0'.repeat(32)}`
  else if (auth === 2) query += `&sentry_key=${target.key}&sentry_version=99&a=${'%'.repeat(20)}`
  else if (auth === 3) {
    query = ''
    fuzzed.headers['x-sentry-auth'] = `Sentry sentry_key=${target.key}, sentry_version=7, sentry_client=fuzz/1`
  } else if (auth === 4)
    fuzzed.headers['x-sentry-auth'] = pick(random, ['Sentry', 'Sentry ,,,=', `Sentry sentry_key=${target.key}`])
  const id = chance(random, 0.01) ? pick(random, ['999999', '0', '1e3', '-1', '18446744073709551616']) : target.id
  const hex = 'a'.repeat(32)
  const route = chance(random, 0.88)
    ? 'envelope/'
    : pick(random, [
        'store/',
        'security/',
        'csp-report/',
        `events/${hex}/attachments/`,
        'minidump/',
        'integration/otlp/v1/traces',
        'otlp/v1/traces/',
        'nel/',
        'envelope',
        'x/y/z',
        '%00/',
        'cron/a/b/',
      ])
  fuzzed.path = `/api/${id}/${route}?${query}`
  fuzzed.method = chance(random, 0.97) ? 'POST' : pick(random, ['GET', 'OPTIONS', 'PUT', 'DELETE', 'HEAD', 'PATCH'])
  fuzzed.headers['content-type'] = chance(random, 0.85)
    ? 'text/plain'
    : pick(random, contentTypes).replace(/[^\x20-\x7e]/g, '')
  if (chance(random, 0.1))
    fuzzed.headers.origin = pick(random, ['null', 'https://a.test', 'x', `https://${'a'.repeat(3000)}.test`])
  if (chance(random, 0.05))
    fuzzed.headers['user-agent'] = pick(
      random,
      strings,
    )(random)
      .slice(0, 2000)
      .replace(/[^\x20-\x7e]/g, '?')
}

/** A minidump with some of its bytes changed, cut or compressed. */
function brokenDump(random: Random, what: string[]): Buffer {
  const code = pick(random, [11, 8, 0xc0000005, 0xffffffff])
  const made = makeDump({ big: chance(random, 0.2), platform: pick(random, [2, 0x8201, 0x8101]), crash: { code } })
  const bytes = breakBytes(made, random, what)
  what.push('minidump')
  if (chance(random, 0.3)) return gzipSync(bytes)
  return chance(random, 0.2) ? bytes.subarray(0, Math.floor(random() * bytes.length)) : bytes
}

/** Wraps a broken dump in the form of a crash reporter, or sends the dump alone. */
function breakUpload(fuzzed: Fuzzed, random: Random): void {
  const dump = brokenDump(random, fuzzed.what)
  if (chance(random, 0.2)) {
    fuzzed.headers['content-type'] = 'application/octet-stream'
    fuzzed.body = dump
    return
  }
  const name = pick(random, ['sentry', 'sentry__1', 'sentry[a][b]', 'sentry[__proto__][x]', 'sentry[tags][]', 'guid'])
  const value = pick(random, ['{"event_id":"', '{"release":"a"}', '[', '[[[[', pick(random, strings)(random)])
  fuzzed.headers['content-type'] = 'multipart/form-data; boundary=x'
  fuzzed.body = Buffer.concat([
    Buffer.from(`--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`),
    Buffer.from('--x\r\nContent-Disposition: form-data; name="upload_file_minidump"; filename="a.dmp"\r\n\r\n'),
    dump,
    Buffer.from(chance(random, 0.9) ? '\r\n--x--\r\n' : '\r\n--x'),
  ])
}

/** Sends spans in protobuf or JSON, with a few bytes broken. */
function breakOtlp(fuzzed: Fuzzed, random: Random): void {
  const spans = Array.from({ length: Math.floor(random() * 40) }, (_, n) =>
    jsonSpan(n + 1, {
      kind: Math.floor(random() * 8),
      attributes: attributesOf({ a: pick(random, strings)(random), b: [1, { c: true }] }),
    }),
  )
  const isJson = chance(random, 0.5)
  const body = isJson ? Buffer.from(JSON.stringify(jsonBody(spans))) : protobufOf(jsonBody(spans))
  if (chance(random, 0.7))
    for (let n = 0; n < 1 + random() * 5; n++) body[Math.floor(random() * body.length)] = Math.floor(random() * 256)
  fuzzed.what.push('otlp')
  fuzzed.headers['content-type'] = isJson ? 'application/json' : 'application/x-protobuf'
  fuzzed.body = chance(random, 0.1) ? body.subarray(0, Math.floor(random() * body.length)) : body
}

/** Creates one request from `random`. Every tenth is an unchanged recorded envelope. */
export function makeRequest(recorded: Envelope[], target: Target, random: Random): Fuzzed {
  const fuzzed: Fuzzed = { method: 'POST', path: '', headers: {}, body: Buffer.alloc(0), what: [] }
  const base = pick(random, recorded)
  const envelope: Envelope = { header: structuredClone(base.header), items: base.items.map((item) => ({ ...item })) }
  address(fuzzed, target, random)
  delete (envelope.header as Record<string, unknown>).dsn
  if (chance(random, 0.9)) {
    if (chance(random, 0.25)) breakHeader(envelope, random, fuzzed.what)
    if (chance(random, 0.15)) envelope.items.push(...structuredClone(pick(random, recorded).items))
    if (chance(random, 0.03))
      for (let i = 0; i < 60; i++)
        envelope.items.push({ ...pick(random, base.items.concat({ header: {}, payload: Buffer.alloc(0) })) })
    for (const item of envelope.items) {
      if (chance(random, 0.5)) breakPayload(item, random, fuzzed.what)
      const header = item.header as Record<string, unknown> | null
      if (header && typeof header === 'object' && 'length' in header)
        item.header = { ...header, length: item.payload.length }
      if (chance(random, 0.12)) breakItemHeader(item, random, fuzzed.what)
    }
    if (chance(random, 0.01))
      envelope.items.push({
        header: { type: 'attachment', length: 2_000_000, filename: 'a' },
        payload: Buffer.alloc(2_000_000, 7),
      })
    if (chance(random, 0.03)) {
      const payload = brokenDump(random, fuzzed.what)
      envelope.items.push({
        header: { type: 'attachment', attachment_type: 'event.minidump', length: payload.length, filename: 'a.dmp' },
        payload,
      })
    }
  }
  const isEnvelope = /envelope|x-sentry/.test(fuzzed.path + (fuzzed.headers['content-type'] ?? ''))
  fuzzed.body =
    isEnvelope || chance(random, 0.2)
      ? writeEnvelope(envelope, random, fuzzed.what)
      : (envelope.items[0]?.payload ?? Buffer.alloc(0))
  if (/multipart/.test(fuzzed.headers['content-type'] ?? ''))
    fuzzed.body = Buffer.concat([
      Buffer.from('--x\r\nContent-Disposition: form-data; name="a"; filename="b"\r\n\r\n'),
      fuzzed.body,
      Buffer.from(chance(random, 0.8) ? '\r\n--x--\r\n' : '\r\n--x'),
    ])
  if (/minidump/.test(fuzzed.path) && chance(random, 0.9)) breakUpload(fuzzed, random)
  if (/otlp/.test(fuzzed.path) && chance(random, 0.9)) breakOtlp(fuzzed, random)
  encode(fuzzed, random)
  if (chance(random, 0.01) && fuzzed.body.length > 2) fuzzed.leaveAt = Math.floor(random() * fuzzed.body.length)
  return fuzzed
}
