import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { testClock } from '../base/clock.ts'
import { codeOf, createRig, eventId, publicKey, type Rig } from './rig.cases.ts'

let rig: Rig
const start = async (...given: Parameters<typeof createRig>) => (rig = await createRig(...given))
afterEach(() => rig?.close())

const path = `/api/7/minidump/?sentry_key=${publicKey}`
const type = { 'content-type': 'multipart/form-data; boundary=xyz' }
const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/
const dump = (bytes = 100) => Buffer.concat([Buffer.from('MDMP'), Buffer.alloc(bytes, 0x2a)])
const field = (name: string, value: string) =>
  Buffer.from(`--xyz\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
const file = (name: string, bytes: Buffer | string, filename = 'a.bin') =>
  Buffer.concat([
    Buffer.from(`--xyz\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\n\r\n`),
    Buffer.from(bytes),
    Buffer.from('\r\n'),
  ])
const form = (...parts: Buffer[]) => Buffer.concat([...parts, Buffer.from('--xyz--\r\n')])
const upload = (bytes: Buffer) => file('upload_file_minidump', bytes, 'crash.dmp')

describe('POST /minidump/', () => {
  test.each([
    ['a form', path, type, form(upload(dump()))],
    ['a form without the last slash', `/api/7/minidump?sentry_key=${publicKey}`, type, form(upload(dump()))],
    ['the other byte order', path, type, form(upload(Buffer.from('PMDM....')))],
    ['gzip in a form', path, type, form(upload(gzipSync(dump())))],
    ['xz in a form', path, type, form(upload(Buffer.from('\xfd7zXZ\0rest', 'latin1')))],
    ['bzip2 in a form', path, type, form(upload(Buffer.from('BZh91AY&SY')))],
    ['zstd in a form', path, type, form(upload(Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 1, 2])))],
    ['the dump as the body', path, { 'content-type': 'application/octet-stream' }, dump()],
    ['the dump without a type', path, {}, gzipSync(dump())],
  ])('%s: kept as it came, answered with a UUID', async (_name, url, headers, body) => {
    await start()
    const answer = await rig.send(url, { headers, body })
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/plain'])
    expect(answer.body).toMatch(uuid)
    const [record] = rig.journal.records
    expect(record?.head).toMatchObject({
      kind: 'minidump',
      projectId: 7,
      eventId: answer.body.replaceAll('-', ''),
    })
    expect(record?.body.equals(body)).toBe(true)
    expect(rig.accept.drainRequestLog()).toMatchObject([
      { route: 'minidump', status: 200, code: 'OK', items: [{ type: 'event', outcome: 'waiting' }] },
    ])
  })

  const json = JSON.stringify({ event_id: eventId, release: 'a@1' })
  /** Electron on Linux stores a whole upload body as its dump. */
  const nested = (...parts: Buffer[]) =>
    Buffer.from(
      form(...parts)
        .toString('latin1')
        .replaceAll('--xyz', '------------------------0a1b2c'),
      'latin1',
    )
  test.each<[string, Record<string, string>, Buffer]>([
    ['in a form', type, form(field('sentry', json), upload(nested(field('prod', 'Electron'), upload(dump()))))],
    ['in front of the event', type, form(upload(nested(upload(dump()))), field('sentry', json))],
    ['compressed within', type, form(upload(nested(upload(gzipSync(dump())))), field('sentry', json))],
    ['with its own event', type, form(upload(nested(field('sentry', json), upload(dump()))))],
    ['as the body', {}, nested(field('sentry', json), upload(dump()))],
  ])('a dump that is a form itself, %s: kept as it came', async (_name, headers, body) => {
    await start()
    const answer = await rig.send(path, { headers, body })
    expect([answer.status, answer.body.replaceAll('-', '')]).toEqual([200, eventId])
    expect(rig.journal.records[0]?.body.equals(body)).toBe(true)
  })

  test('a large dump that is a form itself, whatever the pieces', async () => {
    await start()
    const body = form(field('sentry', json), upload(nested(field('prod', 'x'), upload(dump(3 * 1024 * 1024)))))
    for (const size of [50, 60_001]) {
      const from = Math.min(body.length, 1000 * size)
      const pieces = Array.from({ length: 1000 }, (_, i) => body.subarray(i * size, Math.min((i + 1) * size, from)))
      const answer = await rig.send(path, { headers: type, body: [...pieces, body.subarray(from)] })
      expect([size, answer.status, answer.body.replaceAll('-', '')]).toEqual([size, 200, eventId])
    }
    expect(rig.journal.records.map((record) => rig.blobs.get(record.head.spool?.key ?? '')?.equals(body))).toEqual([
      true,
      true,
    ])
  })

  const inner = (at: number) => file(`f${at}`, 'x')
  test.each<[string, Buffer, number, string]>([
    ['without a dump', form(upload(nested(field('prod', 'x')))), 400, 'ACCEPT_MINIDUMP'],
    ['with something else as its dump', form(upload(nested(upload(Buffer.from('PK..rest'))))), 400, 'ACCEPT_MINIDUMP'],
    ['in a form in a form', form(upload(nested(upload(nested(upload(dump())))))), 400, 'ACCEPT_MINIDUMP'],
    ['with a first line that does not end', form(upload(Buffer.from('-'.repeat(500)))), 400, 'ACCEPT_MINIDUMP'],
    ['not closed', form(upload(nested(upload(dump())).subarray(0, -20))), 400, 'ACCEPT_BODY_MALFORMED'],
    [
      '31 files in both',
      form(
        upload(nested(upload(dump()), ...Array.from({ length: 15 }, (_, i) => inner(i)))),
        ...Array.from({ length: 16 }, (_, i) => inner(i)),
      ),
      413,
      'ACCEPT_TOO_LARGE',
    ],
    [
      'fields over 1 MiB in both',
      form(field('a', 'x'.repeat(600_000)), upload(nested(field('b', 'x'.repeat(600_000)), upload(dump())))),
      413,
      'ACCEPT_TOO_LARGE',
    ],
  ])('a dump that is a form itself, %s: refused', async (_name, body, status, code) => {
    await start()
    const answer = await rig.send(path, { headers: type, body })
    expect([answer.status, codeOf(answer), rig.journal.records.length]).toEqual([status, code, 0])
  })

  test.each([
    ['sentry', [field('sentry', json)]],
    ['sentry behind the dump', [upload(dump()), field('sentry', json)]],
    ['pieces', [field('sentry__2', json.slice(15)), field('sentry__1', json.slice(0, 15))]],
    ['sentry[event_id]', [field('sentry[event_id]', eventId)]],
  ])('the event’s own id, from %s', async (_name, parts) => {
    await start()
    const body = form(...parts, ...(parts.length === 2 && _name.includes('behind') ? [] : [upload(dump())]))
    const answer = await rig.send(path, { headers: type, body })
    expect(answer.body.replaceAll('-', '')).toBe(eventId)
    expect(rig.journal.records[0]?.head.eventId).toBe(eventId)
  })

  test('a large one is spooled, with its id behind the dump, whatever the pieces', async () => {
    await start()
    const body = form(upload(dump(3 * 1024 * 1024)), field('sentry', json))
    const pieces = Array.from({ length: Math.ceil(body.length / 60_001) }, (_, i) =>
      body.subarray(i * 60_001, (i + 1) * 60_001),
    )
    const answer = await rig.send(path, { headers: type, body: pieces })
    expect([answer.status, answer.body.replaceAll('-', '')]).toEqual([200, eventId])
    const head = rig.journal.records[0]?.head
    expect([head?.eventId, rig.blobs.get(head?.spool?.key ?? '')?.equals(body)]).toEqual([eventId, true])
  })

  test('a large dump as the body', async () => {
    await start()
    const body = dump(2 * 1024 * 1024)
    const answer = await rig.send(path, { body })
    expect(answer.body).toMatch(uuid)
    expect(rig.blobs.get(rig.journal.records[0]?.head.spool?.key ?? '')?.equals(body)).toBe(true)
  })

  test('a compressed request', async () => {
    await start()
    const headers = { ...type, 'content-encoding': 'gzip' }
    expect((await rig.send(path, { headers, body: gzipSync(form(upload(dump()))) })).status).toBe(200)
    expect(rig.journal.records[0]?.body.equals(form(upload(dump())))).toBe(true)
  })

  test('a rate limit takes it as one event', async () => {
    await start({ key: { rateLimit: { count: 1, windowS: 60 } }, clock: testClock() })
    expect((await rig.send(path, { headers: type, body: form(upload(dump())) })).status).toBe(200)
    expect((await rig.send(path, { headers: type, body: form(upload(dump())) })).status).toBe(429)
    const large = await rig.send(path, { headers: type, body: form(upload(dump(2 * 1024 * 1024))) })
    expect([large.status, rig.blobs.size, rig.journal.records.length]).toEqual([429, 0, 1])
    expect(rig.accept.drainOutcomes()).toMatchObject([
      { category: 'error', itemType: 'event', outcome: 'rate_limited', quantity: 2 },
    ])
  })

  const files = Array.from({ length: 31 }, (_, i) => file(`f${i}`, 'x'))
  const fields = Array.from({ length: 901 }, (_, i) => field(`f${i}`, 'x'))
  const named = Array.from({ length: 80 }, (_, i) => field(`${i}${'n'.repeat(15_000)}`, ''))
  const long = 'x'.repeat(1024 * 1024)
  const large = dump(2 * 1024 * 1024)
  test.each<[string, Record<string, string>, Buffer | string, number, string]>([
    ['no dump in the form', type, form(field('sentry', '{}')), 400, 'ACCEPT_MINIDUMP'],
    ['an empty dump', type, form(upload(Buffer.alloc(0))), 400, 'ACCEPT_MINIDUMP'],
    ['another magic', type, form(upload(Buffer.from('PK\x03\x04rest'))), 400, 'ACCEPT_MINIDUMP'],
    ['half a magic', type, form(upload(Buffer.from('MDM'))), 400, 'ACCEPT_MINIDUMP'],
    ['an empty body', {}, '', 400, 'ACCEPT_MINIDUMP'],
    ['text as the body', {}, 'hello', 400, 'ACCEPT_MINIDUMP'],
    ['a large body that is none', {}, 'x'.repeat(2 * 1024 * 1024), 400, 'ACCEPT_MINIDUMP'],
    ['a large form without one', type, form(file('other', large)), 400, 'ACCEPT_MINIDUMP'],
    ['not closed', type, upload(dump()), 400, 'ACCEPT_BODY_MALFORMED'],
    ['large and not closed', type, upload(large), 400, 'ACCEPT_BODY_MALFORMED'],
    ['a head that does not end', type, `--xyz\r\n${'a'.repeat(40_000)}`, 400, 'ACCEPT_BODY_MALFORMED'],
    ['no boundary', { 'content-type': 'multipart/form-data' }, form(upload(dump())), 415, 'ACCEPT_ENCODING_UNKNOWN'],
    ['31 files beside it', type, form(upload(dump()), ...files), 413, 'ACCEPT_TOO_LARGE'],
    [
      '32 dumps, each but the first a file',
      type,
      form(...Array.from({ length: 32 }, () => upload(dump()))),
      413,
      'ACCEPT_TOO_LARGE',
    ],
    ['fields whose names are over 1 MiB', type, form(upload(dump()), ...named), 413, 'ACCEPT_TOO_LARGE'],
    ['901 fields', type, form(upload(dump()), ...fields), 413, 'ACCEPT_TOO_LARGE'],
    ['fields over 1 MiB', type, form(field('sentry', long), field('a', 'b'), upload(large)), 413, 'ACCEPT_TOO_LARGE'],
  ])('refused: %s', async (_name, headers, body, status, code) => {
    await start()
    const answer = await rig.send(path, { headers, body })
    expect([answer.status, codeOf(answer), rig.journal.records.length, rig.blobs.size]).toEqual([status, code, 0, 0])
    expect(rig.accept.drainOutcomes()).toMatchObject([
      { projectId: 7, category: 'error', outcome: 'invalid', quantity: 1 },
    ])
  })

  test('a bomb around the request, and a body over its limit', async () => {
    await start({ bodyBytesMax: 4 * 1024 * 1024 })
    const headers = { ...type, 'content-encoding': 'gzip' }
    const bomb = gzipSync(form(upload(dump(64 * 1024 * 1024))))
    expect(codeOf(await rig.send(path, { headers, body: bomb }))).toBe('ACCEPT_BOMB')
    const long = await rig.send(path, { headers: type, body: form(upload(dump(5 * 1024 * 1024))) })
    expect([codeOf(long), rig.blobs.size]).toEqual(['ACCEPT_TOO_LARGE', 0])
  })

  test('nobody packs parts without number: a packed form ends at the first one too many', async () => {
    await start()
    const part = upload(Buffer.from('MDMP00')).toString()
    const body = gzipSync(`${part.repeat(100_000)}--xyz--\r\n`)
    const answer = await rig.send(path, { headers: { ...type, 'content-encoding': 'gzip' }, body })
    expect([answer.status, codeOf(answer), rig.blobs.size]).toEqual([413, 'ACCEPT_TOO_LARGE', 0])
    expect(rig.accept.drainOutcomes()).toMatchObject([{ reason: 'too_many_items', quantity: 1 }])
  })

  test('without a key, and by GET', async () => {
    await start()
    const body = form(upload(dump()))
    expect(codeOf(await rig.send('/api/7/minidump/', { headers: type, body }))).toBe('ACCEPT_KEY_MISSING')
    const get = await rig.send(path, { method: 'GET' })
    expect([get.status, get.headers['allow']]).toEqual([405, 'POST, OPTIONS'])
  })
})
