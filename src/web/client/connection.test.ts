import { describe, expect, it } from 'vitest'
import { testClock } from '../../base/clock.ts'
import {
  type ConnectionStatus,
  createConnection,
  patientImport,
  watchedFetch,
  whenAnswers,
  whenBack,
} from './connection.ts'

const tick = () => new Promise((resolve) => setImmediate(resolve))

function environment(answers = true, online = true) {
  const clock = testClock(0)
  const state = { answers, online }
  const probes: number[] = []
  const reported: ConnectionStatus[] = []
  const connection = createConnection({
    after: clock.after,
    isOnline: () => state.online,
    probe: async () => {
      probes.push(clock.now())
      return state.answers
    },
  })
  connection.listen(() => reported.push(connection.status()))
  const pass = async (ms: number) => {
    await tick()
    for (let left = ms; left > 0; left -= 1000) {
      clock.advance(Math.min(left, 1000))
      await tick()
    }
  }
  return { connection, state, probes, reported, pass }
}

describe('the connection', () => {
  it('one request that fails is no silence while Mishap answers', async () => {
    const { connection, probes, reported } = environment()
    connection.asked()('failed')
    await tick()
    expect([probes, reported, connection.status()]).toEqual([[0], [], 'well'])
  })

  it('silence is asked again after growing pauses, and ends by itself', async () => {
    const { connection, state, probes, reported, pass } = environment(false)
    void connection.check()
    await pass(60_000)
    expect(probes).toEqual([0, 1000, 3000, 7000, 15_000, 30_000, 45_000, 60_000])
    state.answers = true
    await pass(15_000)
    expect(reported).toEqual(['silent', 'well'])
    void connection.check()
    await tick()
    expect(connection.status()).toBe('well')
  })

  it('an answer to any request ends the silence', async () => {
    const { connection, reported } = environment(false)
    void connection.check()
    await tick()
    connection.asked()('answered')
    expect(reported).toEqual(['silent', 'well'])
  })

  it('a network that came back is believed when Mishap has answered', async () => {
    const { connection, state, reported, pass } = environment(false)
    state.online = false
    connection.networkChanged()
    await pass(20_000)
    expect(reported).toEqual(['offline'])
    state.online = true
    connection.networkChanged()
    await pass(500)
    state.answers = true
    await pass(1000)
    expect(reported).toEqual(['offline', 'silent', 'well'])
  })

  it.each([
    ['a page that opens without a network says so', false, 'offline'],
    ['without a network a Mishap on the same machine still answers', true, 'well'],
  ] as const)('%s', async (_, answers, status) => {
    const { connection, probes, pass } = environment(answers, false)
    await pass(0)
    expect([probes, connection.status()]).toEqual([[0], status])
  })

  it('a network that is lost while Mishap answers changes nothing, and no further probe follows', async () => {
    const { connection, state, reported, probes, pass } = environment()
    state.online = false
    connection.networkChanged()
    await pass(20_000)
    expect([reported, probes, connection.status()]).toEqual([[], [0], 'well'])
  })

  it('is slow while a request has no answer for 5 s, whatever becomes of it', async () => {
    const { connection, reported, pass } = environment()
    const first = connection.asked()
    const second = connection.asked()
    connection.asked()('answered')
    await pass(4999)
    expect(reported).toEqual([])
    await pass(1)
    expect(reported).toEqual(['slow'])
    first('answered')
    expect(reported).toEqual(['slow'])
    second('dropped')
    expect(reported).toEqual(['slow', 'well'])
  })

  it('whenBack waits for the end of a silence only', async () => {
    const { connection, state, pass } = environment(false)
    const seen: string[] = []
    void whenBack(connection).then(() => seen.push('at once'))
    await tick()
    void connection.check()
    await tick()
    void whenBack(connection).then(() => seen.push('back'))
    await pass(5000)
    expect(seen).toEqual(['at once'])
    state.answers = true
    await pass(15_000)
    expect(seen).toEqual(['at once', 'back'])
  })
})

describe('whenAnswers', () => {
  it('asks first, although nothing has failed yet', async () => {
    const { connection, state, probes, pass } = environment(false)
    const seen: string[] = []
    void whenAnswers(connection).then(() => seen.push('answers'))
    await pass(5000)
    expect([probes, seen]).toEqual([[0, 1000, 3000], []])
    state.answers = true
    await pass(15_000)
    expect(seen).toEqual(['answers'])
  })

  it('shares a probe that already runs', async () => {
    const { connection, probes } = environment()
    await Promise.all([whenAnswers(connection), whenAnswers(connection)])
    expect(probes).toEqual([0])
  })
})

describe('patientImport', () => {
  const chunkError = Object.assign(new Error('Failed to load chunk'), { name: 'ChunkLoadError' })
  /** Loads that end as `ends` says, in turn. */
  function loads(...ends: ('part' | Error)[]) {
    const left = [...ends]
    const load = async () => {
      const end = left.shift()
      if (end instanceof Error) throw end
      return end
    }
    return { load, left }
  }

  it('waits while Mishap is away, and loads the part when it is back', async () => {
    const { connection, state, pass } = environment(false)
    const { load, left } = loads(chunkError, 'part')
    const part = patientImport(load, () => connection)()
    await pass(60_000)
    expect([connection.status(), left]).toEqual(['silent', ['part']])
    state.answers = true
    await pass(15_000)
    expect(await part).toBe('part')
  })

  it('a part that fails during a second absence waits again', async () => {
    const { connection, state, pass } = environment(false)
    const { load } = loads(chunkError, chunkError, 'part')
    const part = patientImport(load, () => connection)()
    await pass(0)
    // Back for one answer only: the probe of the second failure finds nobody.
    connection.asked()('answered')
    await pass(1000)
    expect(connection.status()).toBe('silent')
    state.answers = true
    await pass(15_000)
    expect(await part).toBe('part')
  })

  it('tries a part once more if Mishap answers, as the network may be back since', async () => {
    const { connection } = environment()
    expect(await patientImport(loads(chunkError, 'part').load, () => connection)()).toBe('part')
  })

  it.each([
    ['a part of an older build', [chunkError, chunkError]],
    ['a part that throws', [new TypeError('broken')]],
  ])('%s fails', async (_, ends) => {
    const { connection } = environment()
    const { load, left } = loads(...ends, 'part')
    await expect(patientImport(load, () => connection)()).rejects.toBe(ends.at(-1))
    expect(left).toEqual(['part'])
  })

  it('fails at once where no connection is watched', async () => {
    await expect(patientImport(loads(chunkError, 'part').load, () => undefined)()).rejects.toBe(chunkError)
  })
})

describe('watchedFetch', () => {
  const aborted = AbortSignal.abort()
  const fails = async () => {
    throw new TypeError('reset')
  }
  it.each<[string, string, () => Promise<Response>, RequestInit | undefined, string[]]>([
    ['an answer', '/o/a?_rsc=1', async () => new Response('ok'), undefined, ['answered']],
    ['a refusal', '/api/0/status/', async () => new Response('', { status: 503 }), undefined, ['answered']],
    ['a proxy that finds nobody', '/o/a', async () => new Response('', { status: 502 }), undefined, ['failed']],
    ['a reset', '/o/a', fails, undefined, ['failed']],
    ['a caller that has left', '/o/a', fails, { signal: aborted }, ['dropped']],
    ['a report that a blocker stops', '/api/7/envelope/?sentry_key=a', fails, undefined, []],
  ])('%s', async (_name, url, fetch, init, ends) => {
    const reported: string[] = []
    const watched = watchedFetch(fetch as typeof globalThis.fetch, { asked: () => (end) => reported.push(end) })
    await watched(url, init).catch(() => undefined)
    expect(reported).toEqual(ends)
  })
})
