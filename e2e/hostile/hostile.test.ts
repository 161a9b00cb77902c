// Clients that try to take the product down. Each test also requires that a good client is still served.
import { execFileSync } from 'node:child_process'
import { open, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runLoad } from '../../bench/load.ts'
import { pssOf } from '../../bench/measure.ts'
import { send, settled } from '../crash/traffic.ts'
import {
  api,
  bootstrap,
  discard,
  envelopeOf,
  errorEvent,
  eventId,
  ingest,
  type Product,
  type Project,
  password,
  ready,
  start,
  until,
} from '../product.ts'

let product: Product
let project: Project
/** The answers to two slow senders: one never sends its body, the other never ends its headers. */
let slow: Promise<string>[]
beforeAll(async () => {
  product = await start({ env: { MISHAP_LOG_LEVEL: 'warn' } })
  project = bootstrap(product, 'hostile', 'web')
  await ready(product)
  // Their time limits are half a minute, so they wait in parallel with the other tests.
  slow = [raw([`${line()}Content-Length: 100000\r\n\r\n{`], 60_000), raw([line()], 75_000)]
})
afterAll(() => discard(product))

/**
 * Writes 4 kB to the product's disk and syncs it, about ten times a second, until it is called. Returns the longest of
 * them in ms: how long the disk, and this process, made everybody wait. An answer needs a sync, so a limit of its time
 * holds beyond that. At most 5 s count: nothing here is right if a sync takes longer.
 */
function longestSync(): () => Promise<number> {
  const seen = { on: true, longestMs: 0 }
  const running = (async () => {
    const file = await open(join(product.data, 'probe'), 'w')
    while (seen.on) {
      const began = performance.now()
      await file.write(Buffer.alloc(4096, 1), 0, 4096, 0)
      await file.datasync()
      seen.longestMs = Math.max(seen.longestMs, performance.now() - began)
      await pause(100)
    }
    await file.close()
    await rm(join(product.data, 'probe'))
  })()
  return async () => {
    seen.on = false
    await running
    return Math.min(5000, seen.longestMs)
  }
}

/** Sends four good requests per second, and returns their statuses and times. */
function goodClient(to: Project = project) {
  const seen = { times: [] as number[], statuses: [] as number[], on: true }
  const running = (async () => {
    while (seen.on) {
      const began = performance.now()
      const answer = await ingest(product, to, envelopeOf(errorEvent('GoodError'))).catch(() => undefined)
      await answer?.arrayBuffer()
      seen.times.push(performance.now() - began)
      seen.statuses.push(answer?.status ?? 0)
      await pause(250)
    }
  })()
  return async () => {
    seen.on = false
    await running
    return { worst: Math.max(...seen.times), statuses: [...new Set(seen.statuses)], sent: seen.times.length }
  }
}

/** Memory of all processes in MB. Each test has its own limit. */
const memory = () => pssOf(product.child.pid ?? 0).total

const attachmentEnvelope = (bytes: Buffer, name: string): Buffer => {
  const event = errorEvent('BombError')
  const head = `${envelopeOf(event)}{"type":"attachment","length":${bytes.length},"filename":"${name}"}\n`
  return Buffer.concat([Buffer.from(head), bytes, Buffer.from('\n')])
}

const zeros = Buffer.alloc(100 * 2 ** 20)
const chars = (text: string, count: number) => text.repeat(count)

/** A zip of one stored file that claims to have 4 GiB, like a zip bomb. The product must not unpack it. */
function zipOf(inner: Buffer): Buffer {
  const head = Buffer.alloc(30)
  head.writeUInt32LE(0x04034b50, 0)
  head.writeUInt16LE(8, 8)
  head.writeUInt32LE(inner.length, 18)
  head.writeUInt32LE(0xffffffff, 22)
  head.writeUInt16LE(1, 26)
  return Buffer.concat([head, Buffer.from('a'), inner])
}

const bombs: [string, () => { body: Buffer; encoding?: string }, number[]][] = [
  [
    '300 MB of zeros by gzip',
    () => ({ body: gzipSync(Buffer.concat([zeros, zeros, zeros])), encoding: 'gzip' }),
    [400, 413],
  ],
  [
    '300 MB of zeros by deflate',
    () => ({ body: deflateSync(Buffer.concat([zeros, zeros, zeros])), encoding: 'deflate' }),
    [400, 413],
  ],
  ['100 MB of zeros by brotli', () => ({ body: brotliCompressSync(zeros), encoding: 'br' }), [400, 413]],
  [
    'an attachment of 300 MB in a gzip of 300 kB',
    () => ({ body: gzipSync(attachmentEnvelope(Buffer.concat([zeros, zeros, zeros]), 'a.bin')), encoding: 'gzip' }),
    [413],
  ],
  ['a gzip of a gzip as attachment', () => ({ body: attachmentEnvelope(gzipSync(gzipSync(zeros)), 'a.gz') }), [200]],
  ['a zip of a zip as attachment', () => ({ body: attachmentEnvelope(zipOf(zipOf(gzipSync(zeros))), 'a.zip') }), [200]],
  [
    'an event of 900 kB of brackets',
    () => ({
      body: Buffer.from(
        envelopeOf({ event_id: eventId(), extra: 0 }).replace(
          '"extra":0',
          `"extra":${chars('[', 450_000)}${chars(']', 450_000)}`,
        ),
      ),
    }),
    [200],
  ],
  [
    '1,000 items of 10 kB headers',
    () => ({ body: Buffer.from(`{}\n${chars(`{"type":"x${chars('y', 10_000)}","length":0}\n\n`, 1000)}`) }),
    [400],
  ],
]

test.each(bombs)('%s', async (_name, make, statuses) => {
  const { body, encoding } = make()
  const good = goodClient()
  const began = performance.now()
  const answer = await ingest(product, project, body, { headers: encoding ? { 'content-encoding': encoding } : {} })
  await answer.text()
  expect(statuses).toContain(answer.status)
  expect(performance.now() - began).toBeLessThan(20_000)
  await settled(product, project)
  const seen = await good()
  expect(seen.statuses).toEqual([200])
  expect(memory()).toBeLessThan(1500)
})

/** The result of `raw` if the product did not close the connection in time. */
const stillOpen = 'not cut off'
/** Sends `pieces` over a new TCP connection. Resolves with the answer when it closes, or `stillOpen` after `ms`. */
function raw(pieces: Iterable<string | Buffer>, ms: number): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(product.port, '127.0.0.1', () => {
      for (const piece of pieces) socket.write(piece)
    })
    const timer = setTimeout(() => {
      text = stillOpen
      socket.destroy()
    }, ms)
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (text.includes('\r\n\r\n')) socket.end()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(text)
    })
  })
}

const line = () => `POST /api/${project.id}/envelope/?sentry_key=${project.key} HTTP/1.1\r\nHost: a\r\n`
const floods: [string, () => Iterable<string>][] = [
  ['50,000 headers', () => [line(), ...Array.from({ length: 50_000 }, (_, i) => `x-${i}: ${i}\r\n`), '\r\n']],
  ['one header of 5 MB', () => [line(), `x: ${chars('a', 5_000_000)}\r\n\r\n`]],
  ['a URL of 1 MB', () => [`GET /api/1/envelope/?a=${chars('b', 1_000_000)} HTTP/1.1\r\nHost: a\r\n\r\n`]],
  [
    'the same header 1,900 times',
    () => [line(), ...Array.from({ length: 1900 }, () => 'x-forwarded-for: 1.2.3.4\r\n'), '\r\n'],
  ],
  ['bytes that are no HTTP', () => [`\0\x01\x02${chars('\xff', 100_000)}\r\n\r\n`]],
]

test.each(floods)('header flood: %s', async (_name, make) => {
  const good = goodClient()
  for (let round = 0; round < 5; round++) {
    const text = await raw(make(), 15_000)
    // The request is refused or the connection closed. It is never accepted and never a 5xx.
    expect(text.slice(0, 12)).toMatch(/^(HTTP\/1\.1 4\d\d)?$/)
  }
  const seen = await good()
  expect(seen.statuses).toEqual([200])
  expect((await fetch(`${product.url}/api/health/ready`)).status).toBe(200)
})

const floodS = 15
const filesMax = Number(execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim())
const loris = 2000

test.skipIf(filesMax < 3 * loris)(
  `slow-loris on ${loris} sockets: a good client gets its answer within 1 s`,
  async () => {
    const sockets: Socket[] = []
    const state = { on: true, cut: 0 }
    // Half of them never end their headers, the others never end their bodies.
    const begin = (i: number) =>
      i % 2 === 0
        ? `POST /api/${project.id}/envelope/ HTTP/1.1\r\nHost: a\r\nX-A: `
        : `${line()}Content-Length: 100000\r\n\r\n{`
    for (let i = 0; i < loris; i++) {
      const socket = connect(product.port, '127.0.0.1')
      socket.on('error', () => undefined)
      socket.on('close', () => state.cut++)
      socket.write(begin(i))
      sockets.push(socket)
      if (i % 100 === 99) await pause(10)
    }
    const dripping = (async () => {
      while (state.on) {
        for (const socket of sockets) if (!socket.destroyed) socket.write('a')
        await pause(1000)
      }
    })()
    const good = goodClient()
    const disk = longestSync()
    await pause(5000)
    const connected = sockets.filter((socket) => !socket.destroyed).length
    const seen = await good()
    const diskMs = await disk()
    state.on = false
    await dripping
    for (const socket of sockets) socket.destroy()
    expect(connected).toBeGreaterThan(loris * 0.9)
    expect(seen.statuses).toEqual([200])
    expect(seen.worst).toBeLessThan(1000 + diskMs)
    expect(memory()).toBeLessThan(1500)
  },
)

test.skipIf(filesMax < 3 * loris)(
  `${loris} stalled POSTs to screens and REST from one address: who is signed in goes on, and who comes can sign in`,
  async () => {
    const path = `/organizations/${project.org}/issues/?statsPeriod=24h`
    expect((await api(product, project, path)).status).toBe(200)
    const begin = (i: number) => {
      const length = 'Content-Length: 100000\r\n\r\n{'
      if (i % 2 === 0) return `POST /login HTTP/1.1\r\nHost: a\r\nOrigin: ${product.url}\r\n${length}`
      return `POST /api/0/organizations/${project.org}/issues/ HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer made-up-${i}\r\n${length}`
    }
    const sockets: Socket[] = []
    const state = { on: true, cut: 0 }
    const attack = (async () => {
      // Sockets that were cut off connect again.
      for (let i = 0; state.on; i++) {
        if (sockets.length - state.cut < loris) {
          const socket = connect(product.port, '127.0.0.1')
          socket.on('error', () => undefined)
          socket.on('close', () => state.cut++)
          socket.resume()
          socket.write(begin(i))
          sockets.push(socket)
        }
        if (i % 50 === 49) await pause(10)
      }
    })()
    await pause(3000)
    const times: number[] = []
    const statuses = new Set<number>()
    for (let i = 0; i < 60; i++) {
      const began = performance.now()
      statuses.add((await api(product, project, path)).status)
      times.push(performance.now() - began)
      await pause(50)
    }
    const open = sockets.filter((socket) => !socket.destroyed).length
    const page = await fetch(`${product.url}/login`)
    const ready = await fetch(`${product.url}/api/health/ready`)
    const signIn = () =>
      fetch(`${product.url}/api/auth/sign-in/email`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: product.url },
        body: JSON.stringify({ email: `owner@${project.org}.test`, password }),
      })
    const login = await until('a sign-in', 20_000, async () => {
      const answer = await signIn()
      return answer.status === 429 ? undefined : answer
    })
    state.on = false
    await attack
    for (const socket of sockets) socket.destroy()
    times.sort((a, b) => a - b)
    const p99 = times[Math.ceil(times.length * 0.99) - 1] ?? 0
    console.log(`stalled POSTs: ${open} open, ${state.cut} cut; the signed-in list's p99 is ${Math.round(p99)} ms`)
    expect([...statuses]).toEqual([200])
    expect(open).toBeGreaterThan(100)
    expect([page.status, ready.status]).toEqual([200, 200])
    expect(p99).toBeLessThan(1000)
    expect(memory()).toBeLessThan(1500)
    expect(login.status).toBe(200)
    await settled(product, project)
  },
)

test('the ready check says when app does not answer, while ingest goes on', async () => {
  const pid = Number(
    execFileSync('pgrep', ['-P', String(product.child.pid), '-f', 'src/processes/app.ts'], { encoding: 'utf8' }),
  )
  const health = async (kind: string) => {
    const answer = await fetch(`${product.url}/api/health/${kind}`)
    return (await answer.json()) as { status: string; app: boolean; answers?: boolean }
  }
  expect(await health('ready')).toMatchObject({ status: 'ok', app: true, answers: true })
  process.kill(pid, 'SIGSTOP')
  try {
    await until('the answer of before to be forgotten', 10_000, async () => (await health('ready')).answers === false)
    expect(await health('ready')).toMatchObject({ status: 'starting', app: true, answers: false })
    expect((await fetch(`${product.url}/api/health/ready`)).status).toBe(503)
    expect((await fetch(`${product.url}/api/health/live`)).status).toBe(200)
    expect((await ingest(product, project, envelopeOf(errorEvent('StoppedError')))).status).toBe(200)
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  await ready(product)
  await settled(product, project)
})

test('100,000 distinct tag keys: taken, cut to their limits, and the tags of the project still answer', async () => {
  const good = goodClient()
  const bodies = Array.from({ length: 500 }, (_, n) =>
    envelopeOf(
      errorEvent('TagError', 'many keys', {
        tags: Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`key-${n}-${i}`, `value ${i}`])),
      }),
    ),
  )
  bodies.push(
    envelopeOf(
      errorEvent('TagError', 'all at once', {
        tags: Object.fromEntries(Array.from({ length: 40_000 }, (_, i) => [`k${i}`, 'v'])),
      }),
    ),
  )
  for (let at = 0; at < bodies.length; at += 10) {
    const answers = await Promise.all(bodies.slice(at, at + 10).map((body) => ingest(product, project, body)))
    for (const answer of answers) expect(answer.status).toBe(200)
  }
  await settled(product, project, 60_000)
  const found = (await api(product, project, `/organizations/${project.org}/issues/?query=TagError&statsPeriod=24h`))
    .json as { id: string; lifetime: { count: string } }[]
  expect(found[0]?.lifetime.count).toBe('501')
  for (const path of [
    `/organizations/${project.org}/issues/${found[0]?.id}/tags/`,
    `/organizations/${project.org}/issues/?query=key-7-7:"value 7"&statsPeriod=24h`,
  ]) {
    const began = performance.now()
    const answer = await api(product, project, path)
    expect({ path, status: answer.status }).toEqual({ path, status: 200 })
    expect(performance.now() - began).toBeLessThan(10_000)
  }
  const seen = await good()
  expect(seen.statuses).toEqual([200])
  expect(memory()).toBeLessThan(1600)
})

test('one key that floods does not slow the others: they are all taken, and seen in seconds', {
  timeout: 180_000,
}, async () => {
  const others = Array.from({ length: 5 }, (_, i) => bootstrap(product, `quiet${i}`, 'web'))
  await settled(product, project)
  // 100 kB without repetition: parsing, trimming and writing them costs processing more than ingest.
  const filler = Array.from({ length: 3000 }, (_, i) => `crumb ${i} ${Math.random().toString(36)}`)
  const body = Buffer.from(envelopeOf(errorEvent('NoisyError', 'a loop in production', { extra: { filler } })))
  const path = `/api/${project.id}/envelope/?sentry_key=${project.key}&sentry_version=7`
  const flood = runLoad({ port: product.port, path, bodies: [body], connections: 32 }, floodS)
  const goodClients = others.map((other) => goodClient(other))
  const disk = longestSync()
  await pause((floodS - 3) * 1000)
  const quietProject = others[0] ?? project
  const late = errorEvent('LateError', 'sent in the flood')
  expect((await ingest(product, quietProject, envelopeOf(late))).status).toBe(200)
  const began = performance.now()
  await until('an event that was sent in the flood', 30_000, async () => {
    const answer = await api(
      product,
      quietProject,
      `/projects/${quietProject.org}/${quietProject.slug}/events/${late.event_id}/`,
    )
    return answer.status === 200
  })
  const seenMs = performance.now() - began
  const { ok, refused } = await flood
  const seen = await Promise.all(goodClients.map((stop) => stop()))
  const diskMs = await disk()
  const worst = Math.max(...seen.map((client) => client.worst))
  console.log(
    `flood: ${ok} taken, refused ${JSON.stringify(refused)}; others' worst answer ${Math.round(worst)} ms, the disk's longest sync ${Math.round(diskMs)} ms; seen after ${Math.round(seenMs)} ms`,
  )
  for (const client of seen) expect(client.statuses).toEqual([200])
  expect(worst).toBeLessThan(2000 + diskMs)
  expect(seenMs).toBeLessThan(20_000)
  // The only refusal is 429, for the events that the machine cannot process in time.
  expect(Object.keys(refused).filter((status) => status !== '429')).toEqual([])
  expect(ok).toBeGreaterThan(100)
  const status = await settled(product, project, 120_000)
  expect(status.ledger.lost).toBe(0)
})

test('slow senders are cut off, and what they had sent is counted', { timeout: 120_000 }, async () => {
  const texts = await Promise.all(slow)
  expect(texts[0]).toMatch(/^HTTP\/1\.1 408/)
  expect(texts[1]).toMatch(/^(HTTP\/1\.1 408[\s\S]*)?$/)
})

test('after all of it: the ledger has lost nothing', async () => {
  const traffic = send(product, project, ['AfterError'], 2)
  await pause(500)
  await traffic.stop()
  expect(traffic.refused[503] ?? 0).toBe(0)
  const status = await settled(product, project, 60_000)
  expect(status.ledger.lost).toBe(0)
})
