import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, test } from 'vitest'
import type { Config } from '../base/config.ts'
import { answerMetrics, isLocal, metricsText, residentBytes, watchLoop } from './metrics.ts'
import { type MainMetrics, metricsOf } from './process-metrics.ts'

const stats: MainMetrics = {
  version: '1.2.3',
  startedMs: 5000,
  answers: [
    { status: 200, code: 'OK', count: 7 },
    { status: 403, code: 'ACCEPT_KEY_UNKNOWN', count: 2 },
  ],
  screens: new Map([
    [500, 1],
    [200, 3],
  ]),
  journal: { lagBytes: 1, doneBytes: 2, boundBytes: 3 },
  processes: { app: { up: true, pid: undefined }, engine: { up: false, pid: undefined } },
  loop: { p50S: 0.01, p99S: 0.02, maxS: 0.03 },
  residentBytes: 1000,
  app: undefined,
}

describe('the text', () => {
  test('has help, type and samples; labels are escaped', () => {
    const text = metricsText([{ name: 'a_total', help: 'x\ny', type: 'counter', samples: [[{ l: 'q"\\\n' }, 1.5]] }])
    expect(text).toBe('# HELP a_total x\\ny\n# TYPE a_total counter\na_total{l="q\\"\\\\\\n"} 1.5\n')
    expect(metricsText([{ name: 'a', help: '', type: 'gauge', samples: [[{}, Number.NaN]] }])).toContain('\na 0\n')
  })

  test('says what main knows while app has not told anything', () => {
    const text = metricsText(metricsOf(stats))
    for (const line of [
      'mishap_ingest_requests_total{status="200",code="OK"} 7',
      'mishap_ingest_requests_total{status="403",code="ACCEPT_KEY_UNKNOWN"} 2',
      'mishap_process_up{process="engine"} 0',
      'mishap_http_requests_total{status="500"} 1',
      'mishap_journal_lag_bytes 1',
      'mishap_start_time_seconds 5',
    ])
      expect(text.split('\n')).toContain(line)
    expect(text).not.toContain('mishap_refine')
  })

  test('each family stands once and is well formed, with the numbers of app', () => {
    const refine = { batches: 1, records: 2, events: 3, ms: 4000 }
    const journal = { waitingRecords: 5, oldestWaitingMs: 1500, eventsWaitingMs: 250 }
    const more = { sqliteBytes: 9, deadLetters: 1, jobsFailing: 0, loop: stats.loop, residentBytes: 5 }
    const text = metricsText(metricsOf({ ...stats, app: { refine, journal, ...more } }))
    expect(text).toContain('\nmishap_refine_seconds_total 4\n')
    expect(text).toContain('\nmishap_journal_oldest_waiting_seconds 1.5\n')
    expect(text).toContain('\nmishap_journal_events_oldest_waiting_seconds 0.25\n')
    const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
    expect(new Set(names).size).toBe(names.length)
    for (const line of text.trimEnd().split('\n'))
      expect(line).toMatch(/^(# (HELP|TYPE) [a-z_]+ .*|[a-z_]+(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? -?[\d.e+-]+)$/)
  })
})

test.each([
  ['127.0.0.1', {}, true],
  ['::1', { host: '[::1]:9000' }, true],
  ['::ffff:127.0.0.1', { host: '127.0.0.1' }, true],
  ['127.0.0.1', { host: 'errors.example' }, false],
  ['127.0.0.1', { host: 'localhost.example:9000' }, false],
  ['127.0.0.1', { host: '' }, false],
  ['10.0.0.5', {}, false],
  ['', {}, false],
  ['127.0.0.1', { 'x-forwarded-for': '127.0.0.1' }, false],
  ['127.0.0.1', { via: '1.1 proxy' }, false],
  ['127.0.0.1', { forwarded: 'for=1.2.3.4' }, false],
])('local: %s %j %s', (remoteAddress, headers, expected) => {
  expect(isLocal({ socket: { remoteAddress } as never, headers: { host: 'localhost:9000', ...headers } })).toBe(
    expected,
  )
})

test('a loop that was held for 0.3 s reports about that, without its own interval', async () => {
  const loop = watchLoop()
  await new Promise((resolve) => setTimeout(resolve, 250))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
  await new Promise((resolve) => setTimeout(resolve, 250))
  const { maxS } = loop()
  expect(maxS).toBeGreaterThan(0.19)
  expect(loop()).toEqual({ p50S: 0, p99S: 0, maxS: 0 })
})

test('loop and memory are numbers', () => {
  expect(watchLoop()()).toEqual({
    p50S: expect.any(Number),
    p99S: expect.any(Number),
    maxS: expect.any(Number),
  })
  expect(residentBytes(-1)).toBeUndefined()
})

describe('who may read', () => {
  const state = { access: 204, open: 'local' as Config['metrics'] }
  const front = createServer(
    (req, res) =>
      void answerMetrics(req, res, {
        socketPath: '/nowhere.sock',
        metrics: () => metricsOf(stats),
        open: state.open,
      }).catch(() => {
        state.access = -1
      }),
  ).listen(0, '127.0.0.1')
  afterAll(() => void front.close())
  const ask = async (headers: Record<string, string>, method = 'GET') => {
    if (!front.listening) await once(front, 'listening')
    const answer = await fetch(`http://127.0.0.1:${(front.address() as AddressInfo).port}/metrics`, { method, headers })
    return { status: answer.status, text: await answer.text() }
  }

  test.each([
    ['the machine itself', 'token', {}, 401],
    ['a token while nobody knows tokens', 'token', { authorization: 'Bearer x' }, 503],
    ['the machine itself', 'off', {}, 404],
    ['a token', 'off', { authorization: 'Bearer x' }, 404],
  ] as const)('%s, set to %s', async (_who, open, headers, status) => {
    state.open = open
    expect((await ask(headers)).status).toBe(status)
    state.open = 'local'
  })

  test.each([
    ['the machine itself', {}, 'GET', 200],
    ['somebody behind a proxy', { 'x-forwarded-for': '9.9.9.9' }, 'GET', 401],
    ['a token while nobody knows tokens', { 'x-forwarded-for': '9.9.9.9', authorization: 'Bearer x' }, 'GET', 503],
    ['another scheme', { 'x-forwarded-for': '9.9.9.9', authorization: 'Basic x' }, 'GET', 401],
    ['a write', {}, 'POST', 405],
  ])('%s', async (_who, headers, method, status) => {
    const answer = await ask(headers as Record<string, string>, method)
    expect(answer.status).toBe(status)
    expect(answer.text.includes('mishap_build_info')).toBe(status === 200)
  })
})
