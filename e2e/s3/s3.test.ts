import { execFile, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RestEvent } from '../../src/contract/events.ts'
import type { RestStatus } from '../../src/contract/status.ts'
import { noS3, type S3Server, startS3Server } from '../../src/store/blobs/s3-server.cases.ts'
import { runsAll } from '../engines/all.ts'
import { type Build, buildOf, failedEvent, uploadBuild } from '../mapped.ts'
import {
  api,
  bootstrap,
  envelopeOf,
  errorEvent,
  ingest,
  type Product,
  type Project,
  ready,
  root,
  start,
  until,
} from '../product.ts'

// The whole product with its blobs in a bucket of a real server.

if (noS3) console.warn(`skipped: ${noS3}`)

const MiB = 1024 * 1024
const state = {} as { server: S3Server; product: Product; project: Project; build: Build }
const folders: string[] = []
const folderOf = (name: string) => {
  const folder = mkdtempSync(join(tmpdir(), `mishap-s3-${name}-`))
  folders.push(folder, `${folder}.log`)
  return folder
}
const envOf = (prefix = 'blobs') => ({ MISHAP_BLOBS: state.server.url('mishap', prefix) })

/** Runs a command of the product. Returns its exit code and output. */
const run = (env: Record<string, string>, ...words: string[]): Promise<{ code: number; output: string }> =>
  new Promise((resolve) => {
    const all = ['--disable-warning=ExperimentalWarning', join(root, 'src/processes/main.ts'), ...words]
    execFile(process.execPath, all, { env: { ...process.env, ...env }, timeout: 60_000 }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
    )
  })

const withAttachment = (event: { event_id: string }, bytes: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`${envelopeOf(event)}{"type":"attachment","length":${bytes.length},"filename":"a.bin"}\n`),
    bytes,
    Buffer.from('\n'),
  ])

/** Sends an event with an attachment. Returns the id of the event. */
async function sendWith(bytes: Buffer, event = errorEvent('Attached', 'with a file')): Promise<string> {
  expect((await ingest(state.product, state.project, withAttachment(event, bytes))).status).toBe(200)
  return event.event_id
}

const eventPath = (id: string) => `/projects/acme/web/events/${id}`
const statusOf = async () => (await api(state.product, state.project, '/status/')).json as RestStatus

/** Downloads the only attachment of an event, once it is stored. */
async function downloaded(id: string, product = state.product): Promise<Buffer> {
  const [attachment] = await until('the attachment', 60_000, async () => {
    const list = (await api(product, state.project, `${eventPath(id)}/attachments/`)).json as { id: string }[]
    return list.length > 0 && list
  })
  const path = `${product.url}/api/0${eventPath(id)}/attachments/${attachment?.id}/?download=1`
  const answer = await fetch(path, { headers: { authorization: `Bearer ${state.project.token}` } })
  expect(answer.status).toBe(200)
  return Buffer.from(await answer.arrayBuffer())
}

/** Returns the files of the frames of an event, once it is stored. */
async function filesOf(id: string): Promise<string[]> {
  const event = await until('the event', 60_000, async () => {
    const { status, json } = await api(state.product, state.project, `${eventPath(id)}/`)
    return status === 200 && (json as RestEvent)
  })
  const { entries } = event as unknown as {
    entries: { type: string; data: { values: { stacktrace: { frames: { filename: string }[] } }[] } }[]
  }
  const exception = entries.find(({ type }) => type === 'exception')
  return exception?.data.values[0]?.stacktrace.frames.map((frame) => frame.filename) ?? []
}

const small = randomBytes(30_000)
const large = randomBytes(20 * MiB)
const stored = {} as { small: string; large: string }

describe.skipIf(noS3)('a product with its blobs on S3', () => {
  beforeAll(async () => {
    state.server = await startS3Server()
    await state.server.createBucket('mishap')
    state.product = await start({ data: folderOf('data'), env: envOf() })
    await ready(state.product, 90_000)
    state.project = bootstrap(state.product)
    state.build = await buildOf('first')
  })
  afterAll(async () => {
    await state.product?.stop()
    await state.server?.remove()
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  })

  test('attachments, also in parts, and source maps are in the bucket, and none in the data folder', async () => {
    stored.small = await sendWith(small)
    stored.large = await sendWith(large)
    expect((await downloaded(stored.small)).equals(small)).toBe(true)
    expect((await downloaded(stored.large)).equals(large)).toBe(true)
    await uploadBuild(state.product, state.project, state.build)
    // On a busy machine the first event can come before the thread that reads maps.
    await until('a mapped event', 60_000, async () => {
      const event = failedEvent(state.build)
      expect((await ingest(state.product, state.project, envelopeOf(event))).status).toBe(200)
      return (await filesOf(event.event_id)).every((file) => file === 'src/cart.ts')
    })
    expect(readdirSync(join(state.product.data, 'blobs')).filter((name) => name !== 'spool')).toEqual([])
    expect((await statusOf()).blobStore).toEqual({ place: 's3', up: true, reason: null })
  })

  test.runIf(runsAll)(
    'while the server is away, ingest accepts, screens say so, batches wait, and then nothing is lost',
    async () => {
      const second = await buildOf('second')
      await uploadBuild(state.product, state.project, second)
      await state.server.kill()
      await until('the ready check to say so', 20_000, async () => {
        const answer = await fetch(`${state.product.url}/api/health/ready`)
        return answer.status === 503 && (await answer.json()).blobs === false
      })
      // The map of this build was never read, so its event must wait too.
      const unmapped = failedEvent(second)
      expect((await ingest(state.product, state.project, envelopeOf(unmapped))).status).toBe(200)
      const ids = [await sendWith(small), await sendWith(large)]
      const away = await until('the wait', 20_000, async () => {
        const status = await statusOf()
        return status.journal.waitsFor?.store === 'blobs' && status
      })
      expect((await api(state.product, state.project, `${eventPath(unmapped.event_id)}/`)).status).toBe(404)
      expect(away.blobStore).toMatchObject({ place: 's3', up: false })
      const path = `${eventPath(stored.small)}/attachments/`
      const [attachment] = (await api(state.product, state.project, path)).json as { id: string }[]
      const refused = await api(state.product, state.project, `${path}${attachment?.id}/?download=1`)
      expect([refused.status, (refused.json as { code: string }).code]).toEqual([503, 'BLOBS_UNAVAILABLE'])

      // A kill in the outage: the journal has everything, and the start does not need the store.
      await state.product.stop('SIGKILL')
      const { data, port } = state.product
      state.product = await start({ data, port, env: envOf() })
      ids.push(await sendWith(small))
      await state.server.start()
      await ready(state.product, 90_000)
      for (const [at, id] of ids.entries()) expect((await downloaded(id)).equals(at === 1 ? large : small)).toBe(true)
      expect((await filesOf(unmapped.event_id)).length).toBe(3)
      // A busy machine can miss the 3 s for the first read after the outage, but the file must not count as gone.
      const unread = await api(state.product, state.project, `${eventPath(unmapped.event_id)}/`)
      expect(unread.text).not.toContain('file_gone')
      await until('the map', 60_000, async () => {
        const event = failedEvent(second)
        expect((await ingest(state.product, state.project, envelopeOf(event))).status).toBe(200)
        return (await filesOf(event.event_id)).every((file) => file === 'src/cart.ts')
      })
      const after = await until('the backlog', 30_000, async () => {
        const status = await statusOf()
        return status.journal.waitingRecords === 0 && status
      })
      expect([after.ledger.lost, after.ledger.dead, after.blobStore.up, after.journal.waitsFor]).toEqual([
        0,
        0,
        true,
        null,
      ])
    },
  )

  test.runIf(runsAll)(
    'a backup holds the blobs and is restored into files and into another bucket; verify is clean',
    async () => {
      const file = join(folderOf('archive'), 'all.tar')
      const { data } = state.product
      expect(await run(envOf(), 'backup', file, '--data', data)).toMatchObject({ code: 0 })
      expect(await run(envOf(), 'verify', '--data', data)).toMatchObject({ code: 0 })
      const [inFiles, inBucket] = [folderOf('files'), folderOf('bucket')]
      expect(await run(envOf('used'), 'restore', file, '--data', inBucket)).toMatchObject({ code: 0 })
      expect(await run({}, 'restore', file, '--data', inFiles)).toMatchObject({ code: 0 })
      expect(await run(envOf('used'), 'verify', '--data', inBucket)).toMatchObject({ code: 0 })
      expect(await run({}, 'verify', '--data', inFiles)).toMatchObject({ code: 0 })
      expect(existsSync(join(inFiles, 'blobs/attachments'))).toBe(true)
      expect(readdirSync(join(inBucket, 'blobs')).filter((name) => name !== 'spool')).toEqual([])
      // A prefix with blobs is taken, and a data folder is not started with another store than its own.
      const taken = await run(envOf('used'), 'restore', file, '--data', folderOf('taken'))
      expect([taken.code, taken.output]).toEqual([1, expect.stringContaining('already holds blobs')])
      for (const [env, folder] of [
        [envOf('used'), inFiles],
        [{}, inBucket],
        [envOf('third'), inBucket],
      ] as const) {
        const elsewhere = await run(env, 'start', '--port', '1', '--data', folder)
        expect([elsewhere.code, elsewhere.output]).toEqual([78, expect.stringContaining('START_BLOBS_ELSEWHERE')])
      }
      const restored = await start({ data: inBucket, env: envOf('used') })
      try {
        await ready(restored, 90_000)
        expect((await downloaded(stored.large, restored)).equals(large)).toBe(true)
      } finally {
        await restored.stop()
      }
    },
  )

  test.each([
    [
      'an unknown key',
      (url: string) => url.replace('accessKeyId=mishap', 'accessKeyId=nobody'),
      'START_BLOBS_CREDENTIALS',
      'InvalidAccessKeyId',
    ],
    [
      'a wrong secret',
      (url: string) => url.replace(/secretAccessKey=.*/, 'secretAccessKey=not-so-secret'),
      'START_BLOBS_CREDENTIALS',
      'SignatureDoesNotMatch',
    ],
    [
      'a missing bucket',
      (url: string) => url.replace('s3://mishap/', 's3://nobucket/'),
      'START_BLOBS_BUCKET',
      'NoSuchBucket',
    ],
    [
      'a server that is not there',
      (url: string) => url.replace(/127\.0\.0\.1:\d+/, '127.0.0.1:9'),
      'START_BLOBS_UNREACHABLE',
      'ECONNREFUSED',
    ],
    [
      'a name that is not there',
      (url: string) => url.replace(/127\.0\.0\.1:\d+/, 'nowhere.invalid'),
      'START_BLOBS_UNREACHABLE',
      'E',
    ],
    ['TLS on a plain port', (url: string) => url.replace('http:', 'https:'), 'START_BLOBS_TLS', 'EPROTO'],
    ['no keys', (url: string) => url.replace(/&accessKeyId.*/, ''), 'CONFIG_BLOBS', 'AWS_ACCESS_KEY_ID'],
    ['no bucket', () => 's3://?secretAccessKey=not-so-secret', 'CONFIG_BLOBS', 'not valid'],
  ])('a start with %s says so and exits with 78', async (_what, change, code, reason) => {
    const env = { MISHAP_BLOBS: change(state.server.url('mishap')), AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' }
    const { code: exit, output } = await run(env, 'start', '--port', '1', '--data', folderOf('new'))
    expect([exit, output]).toEqual([78, expect.stringContaining(code)])
    expect(output).toContain(reason)
    expect(output).not.toMatch(/not-so-secret|one\+two/)
  })

  test.skipIf(spawnSync('openssl', ['version']).status !== 0)(
    'a certificate of an unknown authority is refused, and taken once the authority is named',
    async () => {
      const folder = folderOf('tls')
      const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
      const names = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
      spawnSync('openssl', [
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-days',
        '2',
        ...names,
        '-keyout',
        key,
        '-out',
        cert,
      ])
      const refusing = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_req, res) =>
        res.writeHead(404).end('<Error><Code>NoSuchBucket</Code></Error>'),
      ).listen(0, '127.0.0.1')
      await new Promise((resolve) => refusing.once('listening', resolve))
      const at = `https://127.0.0.1:${(refusing.address() as AddressInfo).port}`
      const env = { MISHAP_BLOBS: state.server.url('mishap').replace(/http:[^&]*/, at) }
      const words = ['start', '--port', '1', '--data', folderOf('new')]
      const unknown = await run(env, ...words)
      expect([unknown.code, unknown.output]).toEqual([78, expect.stringMatching(/START_BLOBS_TLS: .*SELF_SIGNED/)])
      const known = await run({ ...env, NODE_EXTRA_CA_CERTS: cert }, ...words)
      expect([known.code, known.output]).toEqual([78, expect.stringContaining('START_BLOBS_BUCKET')])
      refusing.close()
    },
  )
})
