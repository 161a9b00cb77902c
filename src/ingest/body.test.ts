import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { createInflater, type Encoding, readEncoding } from './body.ts'
import { codeOf, createRig, envelopeOf, eventId, publicKey, type Rig } from './rig.cases.ts'

const MiB = 1024 * 1024
const brotli = (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })
const encodings: [string, Encoding, (bytes: Buffer) => Buffer][] = [
  ['gzip', 'gzip', gzipSync],
  ['deflate', 'deflate', deflateSync],
  ['deflate without its frame', 'deflate', deflateRawSync],
  ['br', 'br', brotli],
  ['zstd', 'zstd', zstdCompressSync],
]

let rig: Rig | undefined
const start = async (bodyBytesMax?: number) =>
  (rig = await createRig(bodyBytesMax === undefined ? {} : { bodyBytesMax }))
afterEach(async () => {
  await rig?.close()
  rig = undefined
})

test.each([
  [undefined, 'identity'],
  ['', 'identity'],
  ['identity', 'identity'],
  [' GZIP ', 'gzip'],
  ['x-gzip', 'gzip'],
  ['deflate', 'deflate'],
  ['br', 'br'],
  ['zstd', 'zstd'],
  ['compress', undefined],
  ['gzip, br', undefined],
])('readEncoding %s', (header, wanted) => {
  expect(readEncoding(header)).toBe(wanted)
})

async function* inPieces(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
async function collect(pieces: AsyncIterable<Buffer>, bytesMax = Number.POSITIVE_INFINITY): Promise<Buffer> {
  const all: Buffer[] = []
  let bytes = 0
  for await (const piece of pieces) {
    all.push(piece)
    bytes += piece.length
    if (bytes > bytesMax) break
  }
  return Buffer.concat(all)
}

describe.each(encodings)('%s', (_name, encoding, pack) => {
  const inflater = createInflater()
  const text = Buffer.from(Array.from({ length: 5000 }, (_, i) => `line ${i * 7919}`).join('\n'))
  const path = `/api/7/envelope/?sentry_key=${publicKey}`
  const headers = { 'content-encoding': encoding }

  test('whole and in pieces give the same', async () => {
    const packed = pack(text)
    expect(inflater.inflateAll(encoding, packed, text.length)?.equals(text)).toBe(true)
    for (const size of [50, 1000, MiB]) {
      expect((await collect(inflater.inflateStream(encoding, inPieces(packed, size)))).equals(text)).toBe(true)
    }
  })

  test('an empty content', () => {
    expect(inflater.inflateAll(encoding, pack(Buffer.alloc(0)), 10)?.length).toBe(0)
  })

  test('one byte over the cap', () => {
    expect(inflater.inflateAll(encoding, pack(text), text.length - 1)).toBeUndefined()
  })

  test('a body that ends early', async () => {
    const packed = pack(text)
    for (const cut of [1, 10, packed.length - 5]) {
      const part = packed.subarray(0, cut)
      expect(() => inflater.inflateAll(encoding, part, MiB)).toThrow('broken or ends early')
      await expect(collect(inflater.inflateStream(encoding, inPieces(part, 100)))).rejects.toThrow(
        'broken or ends early',
      )
    }
  })

  test('a broken body', async () => {
    const broken = Buffer.from('this is no compressed text at all, whatever the header says')
    expect(() => inflater.inflateAll(encoding, broken, MiB)).toThrow('broken or ends early')
    await expect(collect(inflater.inflateStream(encoding, inPieces(broken, 9)))).rejects.toThrow('broken or ends early')
  })

  test('a reader that stops early stops the source too', async () => {
    const packed = pack(Buffer.alloc(8 * MiB))
    let ended = false
    async function* source() {
      try {
        for (;;) yield packed
      } finally {
        ended = true
      }
    }
    await collect(inflater.inflateStream(encoding, source()), MiB)
    await new Promise((resolve) => setImmediate(resolve))
    expect(ended).toBe(true)
  })

  test('an envelope, small and large, through the handler', async () => {
    const entry = await start()
    const small = envelopeOf({ event_id: eventId }, 'event')
    expect((await entry.send(path, { headers, body: pack(small) })).status).toBe(200)
    expect(entry.journal.records[0]?.body.equals(small)).toBe(true)
    const large = Buffer.concat([
      Buffer.from(`{"event_id":"${eventId}"}\n{"type":"attachment","length":${3 * MiB}}\n`),
      Buffer.alloc(3 * MiB, 'x'),
    ])
    expect((await entry.send(path, { headers, body: pack(large) })).status).toBe(200)
    const spool = entry.journal.records[1]?.head.spool
    expect(spool?.key).toMatch(/^spool\/\d{8}\/[\da-f]{32}$/)
    expect(spool?.bytes).toBe(large.length)
    expect(entry.blobs.get(spool?.key ?? '')?.equals(large)).toBe(true)
  })

  test('a broken body through the handler', async () => {
    const entry = await start()
    const packed = pack(envelopeOf({ event_id: eventId }, 'event'))
    const answer = await entry.send(path, { headers, body: packed.subarray(0, packed.length - 3) })
    expect([answer.status, codeOf(answer)]).toEqual([400, 'ACCEPT_ENCODING_BROKEN'])
    expect(entry.accept.drainOutcomes()[0]).toMatchObject({ outcome: 'invalid', reason: 'bad_encoding' })
  })

  test('a bomb is cut off and leaves nothing', async () => {
    const entry = await start(4 * MiB)
    const head = Buffer.from('{}\n{"type":"made_up"}\n')
    const answer = await entry.send(path, { headers, body: pack(Buffer.concat([head, Buffer.alloc(9 * MiB, 'x')])) })
    expect([answer.status, codeOf(answer)]).toEqual([413, 'ACCEPT_BOMB'])
    expect([entry.blobs.size, entry.journal.records.length]).toEqual([0, 0])
    expect(entry.accept.drainOutcomes()[0]).toMatchObject({ outcome: 'invalid', reason: 'too_large' })
  })
})

test('an unknown encoding is 415', async () => {
  const entry = await start()
  const answer = await entry.send(`/api/7/envelope/?sentry_key=${publicKey}`, {
    headers: { 'content-encoding': 'lzma' },
    body: 'x',
  })
  expect([answer.status, codeOf(answer)]).toEqual([415, 'ACCEPT_ENCODING_UNKNOWN'])
})

test('a gzip of 10 kB members that inflates to 300 MiB passes through at most 200 MiB and keeps nothing', async () => {
  const entry = await start()
  const head = gzipSync(Buffer.from('{}\n{"type":"made_up"}\n'))
  const member = gzipSync(Buffer.alloc(10 * MiB))
  const bomb = Buffer.concat([head, ...Array.from({ length: 30 }, () => member)])
  const answer = await entry.send(`/api/7/envelope/?sentry_key=${publicKey}`, {
    headers: { 'content-encoding': 'gzip' },
    body: bomb,
  })
  expect([answer.status, codeOf(answer), entry.blobs.size]).toEqual([413, 'ACCEPT_BOMB', 0])
})
