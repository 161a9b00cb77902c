import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { blobsCases } from './blobs.cases.ts'
import { createS3Client } from './s3/client.ts'
import { listObjects } from './s3/list.ts'
import { openS3Blobs } from './s3/store.ts'
import { credentials, noS3, type S3Server, startS3Server } from './s3-server.cases.ts'

const MiB = 1024 * 1024
const bucket = 'mishap-test'
const noWait = { ...systemClock, sleep: () => Promise.resolve() }

if (noS3) console.warn(`skipped: ${noS3}`)

describe.skipIf(noS3)('blobs on S3', () => {
  let server: S3Server
  beforeAll(async () => {
    server = await startS3Server()
    await server.createBucket(bucket)
  })
  afterAll(() => server.remove())

  const optionsAt = (prefix: string) => ({
    config: { bucket, prefix, endpoint: server.endpoint, region: 'us-east-1' },
    credentials,
    clock: systemClock,
  })
  const newStore = () => openS3Blobs(optionsAt(randomUUID()))

  /** A store, and a client for everything under its prefix. */
  function opened() {
    const options = optionsAt(randomUUID())
    const client = createS3Client(options)
    const all = async () => {
      const keys: string[] = []
      for await (const { key } of listObjects(client, '')) keys.push(key)
      return keys.sort()
    }
    return { blobs: openS3Blobs(options), client, all }
  }

  blobsCases(newStore)

  async function* slices(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
  const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

  test.each([
    ['as large as one request may be', 16 * MiB],
    ['a byte larger, in parts', 16 * MiB + 1],
    ['in three parts and a rest', 25 * MiB + 12_345],
  ])('a blob %s is read back whole, as a stream and in ranges', async (_name, size) => {
    const { blobs, all } = opened()
    const bytes = randomBytes(size)
    expect(await blobs.putStream('a/large', slices(bytes, 300_000), size)).toEqual({ bytes: size })
    expect(digest((await blobs.get('a/large')) ?? Buffer.alloc(0))).toBe(digest(bytes))
    const reader = await blobs.reader('a/large')
    for (const [from, length] of [
      [0, 10],
      [MiB - 5, 10],
      [9 * MiB + 3, 3 * MiB],
      [size - 4, 100],
    ] as const)
      expect((await reader?.read(from, length))?.equals(bytes.subarray(from, from + length))).toBe(true)
    expect([await blobs.list(''), await blobs.size()]).toEqual([['a/large'], size])
    // Replaced and deleted: the hashes of the large blob go with it.
    await blobs.put('a/large', Buffer.from('small'))
    expect(await all()).toEqual(['a/large'])
    await blobs.putStream('a/large', slices(bytes, MiB), size)
    await blobs.delete('a/large')
    expect(await all()).toEqual([])
  })

  test('a large stream that fails leaves no parts, and a killed one is swept', async () => {
    const { blobs, client, all } = opened()
    await blobs.put('s', Buffer.from('old'))
    async function* cut(): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(20 * MiB)
      throw new Error('cut')
    }
    await expect(blobs.putStream('s', cut(), 99 * MiB)).rejects.toThrow('cut')
    const uploads = async () =>
      (await client.call({ method: 'GET', query: { uploads: '', prefix: client.config.prefix } })).text
    expect(await uploads()).not.toContain('<UploadId>')
    expect((await blobs.get('s'))?.toString()).toBe('old')
    // As after a kill: parts, and hashes whose blob was never completed.
    await client.call({ method: 'POST', key: 's', query: { uploads: '' } })
    await client.call({ method: 'PUT', key: '~sha256/s/gone', body: Buffer.from('hashes') })
    expect(await blobs.sweep(systemClock.now() - 3_600_000)).toBe(0)
    expect(await uploads()).toContain('<UploadId>')
    expect(await blobs.sweep(systemClock.now() + 60_000)).toBe(2)
    expect(await uploads()).not.toContain('<UploadId>')
    expect(await all()).toEqual(['s'])
  })

  test('writers of one key at the same time leave one whole blob', async () => {
    const { blobs } = opened()
    const texts = Array.from({ length: 8 }, (_, at) => String(at).repeat(1000))
    const ends = await Promise.allSettled(texts.map((text) => blobs.put('a', Buffer.from(text))))
    expect(ends.filter((end) => end.status === 'fulfilled').length).toBeGreaterThan(0)
    expect(texts).toContain((await blobs.get('a'))?.toString())
  })

  test('damage of a stored blob is found, in small and in large ones', async () => {
    const { blobs, client } = opened()
    const large = randomBytes(17 * MiB)
    await blobs.put('small', Buffer.from('right'))
    await blobs.put('short', large.subarray(0, 4 * MiB))
    await blobs.putStream('large', slices(large, MiB), large.length)
    for (const [key, bytes] of [
      ['small', Buffer.from('wrong')],
      ['short', large.subarray(0, 3 * MiB)],
      ['large', Buffer.concat([large.subarray(0, 5 * MiB), Buffer.from('x'), large.subarray(5 * MiB + 1)])],
    ] as const) {
      const { headers } = await client.call({ method: 'HEAD', key })
      const value = String(headers['x-amz-meta-mishap-sha256'])
      const written = await client.call({
        method: 'PUT',
        key,
        headers: { 'x-amz-meta-mishap-sha256': value },
        body: bytes,
      })
      expect(written.status).toBe(200)
    }
    await expect(blobs.get('small')).rejects.toMatchObject({ code: 'BLOB_DAMAGED' })
    await expect(blobs.get('short')).rejects.toMatchObject({ code: 'BLOB_DAMAGED' })
    const reader = await blobs.reader('large')
    expect((await reader?.read(0, 9))?.equals(large.subarray(0, 9))).toBe(true)
    await expect(reader?.read(5 * MiB, 1)).rejects.toMatchObject({ code: 'BLOB_DAMAGED' })
  })

  test('a blob that is replaced while it is read is not mixed', async () => {
    const { blobs } = opened()
    await blobs.put('a', randomBytes(3 * MiB))
    const reader = await blobs.reader('a')
    await reader?.read(0, 5)
    await blobs.put('a', randomBytes(3 * MiB))
    await expect(reader?.read(2 * MiB, 5)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  test('pages of a list are joined', async () => {
    const { blobs } = opened()
    const keys = Array.from({ length: 1005 }, (_, at) => `many/${String(at).padStart(5, '0')}`)
    for (let at = 0; at < keys.length; at += 67)
      await Promise.all(keys.slice(at, at + 67).map((key) => blobs.put(key, Buffer.from('x'))))
    expect(await blobs.list('many')).toEqual(keys)
  })

  test('a killed server is BLOBS_UNAVAILABLE, and works again once it is back', async () => {
    const { blobs } = opened()
    await blobs.put('a', Buffer.from('x'))
    await server.kill()
    const away = { code: 'BLOBS_UNAVAILABLE', kind: 'unreachable' }
    await expect(blobs.ping()).rejects.toMatchObject(away)
    await expect(blobs.put('b', Buffer.from('y'))).rejects.toMatchObject(away)
    await expect(blobs.get('a')).rejects.toMatchObject(away)
    await server.start()
    await blobs.ping()
    await blobs.put('b', Buffer.from('y'))
    expect(await blobs.list('')).toEqual(['a', 'b'])
    // After a kill, the server takes up to 20 s on a busy machine.
  }, 120_000)
})

describe('answers of a server', () => {
  const servers: Server[] = []
  afterAll(() => servers.forEach((server) => void server.close()))

  /** A store whose server answers with `answer`. */
  async function answering(answer: (req: IncomingMessage, res: ServerResponse, count: number) => void) {
    const seen: string[] = []
    const server = createServer((req, res) => {
      seen.push(`${req.method} ${req.url}`)
      req.resume().on('end', () => answer(req, res, seen.length))
    }).listen(0, '127.0.0.1')
    servers.push(server)
    await new Promise((resolve) => server.once('listening', resolve))
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const config = { bucket, prefix: 'p', endpoint, region: 'us-east-1' }
    return { blobs: openS3Blobs({ config, credentials, clock: noWait, idleMs: 100 }), seen }
  }

  test('a busy server is asked again, a few times', async () => {
    const busy = await answering((_req, res) => void res.writeHead(503).end('<Code>SlowDown</Code>'))
    await expect(busy.blobs.put('a', Buffer.from('x'))).rejects.toMatchObject({
      code: 'BLOBS_UNAVAILABLE',
      reason: 'SlowDown',
    })
    expect(busy.seen).toEqual(Array(4).fill('PUT /mishap-test/p/a'))
    const recovering = await answering((_req, res, count) => void res.writeHead(count < 3 ? 500 : 200).end())
    await recovering.blobs.put('a', Buffer.from('x'))
    expect(recovering.seen.length).toBe(3)
  })

  test('a server that never answers is unreachable', async () => {
    const { blobs, seen } = await answering(() => undefined)
    await expect(blobs.ping()).rejects.toMatchObject({ kind: 'unreachable', reason: 'ETIMEDOUT' })
    expect(seen.length).toBe(4)
  })

  test('a refusal is not repeated and shows no key', async () => {
    const text = `<Error><Code>SignatureDoesNotMatch</Code><Message>Check it.</Message><AWSAccessKeyId>mishap</AWSAccessKeyId></Error>`
    const { blobs, seen } = await answering((_req, res) => void res.writeHead(403).end(text))
    const error = await blobs.ping().catch((found: unknown) => found as Error)
    expect(error).toMatchObject({ kind: 'refused', reason: 'SignatureDoesNotMatch' })
    expect((error as Error).message).toContain('SignatureDoesNotMatch: Check it.')
    expect((error as Error).message).not.toContain(credentials.secretAccessKey)
    expect(seen.length).toBe(1)
  })

  test('a lost answer of a write is found again, and nothing is written twice', async () => {
    const value = createHash('sha256').update('x').digest('base64url')
    const { blobs, seen } = await answering((req, res, count) => {
      if (count === 1) return void res.destroy()
      if (req.method === 'PUT') return void res.writeHead(412).end()
      res.writeHead(200, { 'x-amz-meta-mishap-sha256': value, etag: '"e"' }).end()
    })
    await blobs.put('a', Buffer.from('x'))
    expect(seen.map((line) => line.split(' ')[0])).toEqual(['PUT', 'PUT', 'HEAD'])
  })

  test('a cut answer continues behind its last good block', async () => {
    const bytes = randomBytes(3 * MiB)
    const hashes = [0, 1, 2].map((at) =>
      createHash('sha256')
        .update(bytes.subarray(at * MiB, (at + 1) * MiB))
        .digest('base64url'),
    )
    const ranges: (string | undefined)[] = []
    const { blobs } = await answering((req, res) => {
      const headers = { 'x-amz-meta-mishap-sha256': hashes.join(','), etag: '"e"' }
      if (req.method === 'HEAD') return void res.writeHead(200, { ...headers, 'content-length': bytes.length }).end()
      ranges.push(req.headers.range)
      const from = Number(/bytes=(\d+)/.exec(req.headers.range ?? '')?.[1])
      res.writeHead(206, { ...headers, 'content-length': bytes.length - from })
      if (from > 0) return void res.end(bytes.subarray(from))
      res.write(bytes.subarray(0, MiB + 500_000), () => res.destroy())
    })
    expect((await blobs.get('a'))?.equals(bytes)).toBe(true)
    expect(ranges).toEqual([`bytes=0-${3 * MiB - 1}`, `bytes=${MiB}-${3 * MiB - 1}`])
  })
})
