import { describe, expect, test } from 'vitest'
import type { Lane } from '../base/lane.ts'
import type { IngestKey } from '../store/meta/meta.ts'
import { createShare, fairLevel, pressureBytes, spoolPressureBytes } from './share.ts'

const MiB = 1024 * 1024
const keyOf = (keyId: number, organizationId = keyId): IngestKey => ({
  keyId,
  projectId: keyId,
  organizationId,
  active: true,
  allowedOrigins: [],
})

describe('fair level', () => {
  test.each<[string, number[], number, number]>([
    ['all get what they want', [1, 2, 3], 10, Number.POSITIVE_INFINITY],
    ['exactly enough is enough', [2, 2], 4, Number.POSITIVE_INFINITY],
    ['one wants too much', [1, 1, 100], 10, 8],
    ['two want too much', [2, 50, 100], 12, 5],
    ['all want too much', [10, 20, 30], 9, 3],
    ['nothing is there', [1, 1], 0, 0],
    ['nobody asks', [], 5, Number.POSITIVE_INFINITY],
  ])('%s', (_name, wants, capacity, level) => {
    expect(fairLevel(wants, capacity)).toBe(level)
  })
})

type Sender = { key: IngestKey; bytesPerS: number; accepted: number; refused: number; lane?: Lane }

/** Simulates senders and a journal that is drained at a rate: 8 kB per request, in steps of 50 ms. */
function run(
  senders: Sender[],
  options: { drainPerS: number | ((second: number) => number); seconds: number; bound?: number; lag?: number },
) {
  const state = { lag: options.lag ?? 0, lagMax: 0, done: 0 }
  const journal = { lagBytes: () => state.lag, doneBytes: () => state.done, bodyBytes: () => 0, waitingBytes: () => 0 }
  const share = createShare(journal, options.bound ?? 10_000 * MiB)
  const owed = senders.map(() => 0)
  for (let step = 0; step < options.seconds * 20; step++) {
    const nowMs = 1_800_000_000_000 + step * 50
    senders.forEach((sender, i) => {
      owed[i] = (owed[i] ?? 0) + sender.bytesPerS / 20
      for (; (owed[i] ?? 0) >= 8192; owed[i] = (owed[i] ?? 0) - 8192) {
        if (share.take(sender.key, 8192, nowMs, sender.lane)) sender.refused++
        else {
          sender.accepted++
          state.lag += 8192
        }
      }
    })
    const drain = typeof options.drainPerS === 'number' ? options.drainPerS : options.drainPerS(Math.floor(step / 20))
    // Refine processes batches at intervals, not a constant byte stream.
    if (step % 8 === 7) {
      const done = Math.min(state.lag, drain * 0.4)
      state.lag -= done
      state.done += done
    }
    state.lagMax = Math.max(state.lagMax, state.lag)
  }
  return { ...state, share }
}

const sender = (id: number, bytesPerS: number, organization = id): Sender => ({
  key: keyOf(id, organization),
  bytesPerS,
  accepted: 0,
  refused: 0,
})

describe('shares', () => {
  test('nothing is held while refine keeps up, however much one sends', () => {
    const all = [sender(1, 7 * MiB), sender(2, 8192)]
    const { lagMax } = run(all, { drainPerS: 8 * MiB, seconds: 60 })
    expect(lagMax).toBeLessThan(pressureBytes)
    expect(all.map((entry) => entry.refused)).toEqual([0, 0])
  })
  test('one that floods waits, 10,000 small ones do not, and the lag stays near the pressure', () => {
    const noisy = sender(1, 40 * MiB)
    const rest = Array.from({ length: 10_000 }, (_, i) => sender(i + 2, 200))
    // Their first events arrive after some 40 s. A sender that is active at once already counts as company.
    const { lag, lagMax } = run([noisy, sender(99_999, 65_536), ...rest], { drainPerS: 8 * MiB, seconds: 60 })
    expect(rest.reduce((sum, entry) => sum + entry.refused, 0)).toBe(0)
    expect(noisy.refused).toBeGreaterThan(0)
    // Unused capacity goes to the key that wants it.
    expect(noisy.accepted * 8192).toBeGreaterThan(0.6 * 60 * 6 * MiB)
    expect(lagMax).toBeLessThan(200 * MiB)
    expect(lag).toBeLessThan(1.5 * pressureBytes)
  })
  test('a key that floods with bulk data keeps room for its events', () => {
    const spans = { ...sender(1, 40 * MiB), lane: 'bulk' as const }
    const errors = sender(1, 48 * 1024)
    const other = sender(2, 64 * 1024)
    const { lag } = run([spans, other, errors], { drainPerS: 8 * MiB, seconds: 60 })
    expect(spans.refused).toBeGreaterThan(1000)
    // Refused only between the begin of the flood and the second count, when the mean knows what the flood is made of.
    expect(errors.refused).toBeLessThanOrEqual(2)
    expect(errors.accepted).toBeGreaterThan(300)
    expect(other.refused).toBe(0)
    expect(lag).toBeLessThan(1.5 * pressureBytes)
  })
  test.each<[string, Lane]>([
    ['its events', 'events'],
    ['its bulk data', 'bulk'],
  ])('a key that floods gets no more than its share for %s', (_name, lane) => {
    const flood = { ...sender(1, 40 * MiB), lane }
    const rest = sender(2, 64 * 1024)
    run([flood, rest], { drainPerS: 8 * MiB, seconds: 60 })
    const events = { ...sender(1, 40 * MiB) }
    run([events, sender(2, 64 * 1024)], { drainPerS: 8 * MiB, seconds: 60 })
    expect(flood.accepted).toBe(events.accepted)
  })
  test('events of a key that floods with bulk data are limited too', () => {
    const spans = { ...sender(1, 40 * MiB), lane: 'bulk' as const }
    const errors = sender(1, 4 * MiB)
    run([spans, sender(2, 64 * 1024), errors], { drainPerS: 8 * MiB, seconds: 60 })
    expect(errors.refused).toBeGreaterThan(1000)
  })
  test.each(['on disk', 'still being written'])('a burst between two counts stops at the pressure: %s', (where) => {
    const state = { lag: 0, waiting: 0 }
    const share = createShare(
      { lagBytes: () => state.lag, doneBytes: () => 0, bodyBytes: () => 0, waitingBytes: () => state.waiting },
      10_000 * MiB,
    )
    const at = 1_800_000_000_000
    share.take(keyOf(2), 1000, at)
    let taken = 0
    for (let n = 0; n < 1000; n++) {
      if (share.take(keyOf(1), 102_400, at + 1)) continue
      taken += 102_400
      if (where === 'on disk') state.lag += 102_400
      else state.waiting += 102_400
    }
    expect(taken).toBeGreaterThan(0.9 * pressureBytes)
    expect(taken).toBeLessThan(1.1 * pressureBytes)
  })
  test('a key that begins to flood while limits are on is noticed before the next count', () => {
    const state = { lag: 1.25 * pressureBytes, done: 0 }
    const share = createShare(
      { lagBytes: () => state.lag, doneBytes: () => state.done, bodyBytes: () => 0, waitingBytes: () => 0 },
      10_000 * MiB,
    )
    const at = 1_800_000_000_000
    for (let n = 0; n < 40; n++) {
      for (let sent = 0; sent < 20; sent++) share.take(keyOf(1), 102_400, at + n * 250)
      share.take(keyOf(2), 1000, at + n * 250)
      state.done += MiB
    }
    let taken = 0
    for (let n = 0; n < 1000; n++) if (!share.take(keyOf(3), 102_400, at + 9751 + n / 100)) taken += 102_400
    expect(taken).toBeLessThan(24 * MiB)
  })
  test('a modest key has room at once when limits begin, though its organization is limited', () => {
    const state = { lag: 0, done: 0 }
    const share = createShare(
      { lagBytes: () => state.lag, doneBytes: () => state.done, bodyBytes: () => 0, waitingBytes: () => 0 },
      10_000 * MiB,
    )
    const [noisy, modest, other] = [keyOf(1, 5), keyOf(2, 5), keyOf(3, 6)]
    const at = 1_800_000_000_000
    for (let n = 0; n < 40; n++) {
      for (let sent = 0; sent < 40; sent++) share.take(noisy, 102_400, at + n * 250)
      for (const key of [modest, other]) share.take(key, 25_000, at + n * 250)
      state.done += 2 * MiB
    }
    state.lag = pressureBytes
    for (let sent = 0; sent < 300; sent++) share.take(noisy, 102_400, at + 9752)
    expect(share.level(noisy)).toBeLessThan(10 * MiB)
    expect(Array.from({ length: 5 }, () => share.take(modest, 8192, at + 9753))).toEqual(Array(5).fill(undefined))
  })
  test('who did not cause a large lag is not refused for it', () => {
    const alone = sender(1, 20 * MiB)
    const rest = Array.from({ length: 20 }, (_, i) => sender(i + 2, 100 * 1024))
    run([alone, ...rest], { drainPerS: 6 * MiB, seconds: 120, lag: 300 * MiB })
    expect(rest.reduce((sum, entry) => sum + entry.refused, 0)).toBe(0)
    expect(alone.refused).toBeGreaterThan(0)
  })
  test('a key below the level of its organization does not pay for a large lag', () => {
    const [noisy, modest, other] = [sender(1, 30 * MiB, 5), sender(2, 2 * MiB, 5), sender(3, 16_384)]
    run([noisy, modest, other], { drainPerS: 6 * MiB, seconds: 60, lag: 300 * MiB })
    // The drain is not known for the first moments.
    expect(modest.refused / (modest.accepted + modest.refused)).toBeLessThan(0.05)
    expect(noisy.refused).toBeGreaterThan(0)
  })
  test('a large lag shrinks to the pressure, and the flood still gets a part of the throughput', () => {
    const noisy = sender(1, 40 * MiB)
    const { lag } = run([noisy, sender(2, 16_384)], { drainPerS: 8 * MiB, seconds: 25, lag: 90 * MiB })
    expect(lag).toBeLessThan(1.5 * pressureBytes)
    expect(noisy.accepted * 8192).toBeGreaterThan(0.2 * 25 * 8 * MiB)
  })
  test('an organization gets no more by having many keys', () => {
    const many = Array.from({ length: 20 }, (_, i) => sender(i + 100, 2 * MiB, 9))
    const entry = sender(1, 20 * MiB, 1)
    run([...many, entry], { drainPerS: 8 * MiB, seconds: 90 })
    const ofMany = many.reduce((sum, each) => sum + each.accepted, 0)
    expect(entry.accepted / ofMany).toBeGreaterThan(0.7)
    expect(entry.accepted / ofMany).toBeLessThan(1.5)
  })
  test('within an organization a modest key is not held for its neighbour', () => {
    const [noisy, modest] = [sender(1, 30 * MiB, 5), sender(2, 200_000, 5)]
    run([noisy, modest], { drainPerS: 6 * MiB, seconds: 60 })
    expect(modest.refused).toBe(0)
    expect(noisy.refused).toBeGreaterThan(0)
  })
  test('while the store is away the journal takes all, until half of its bound', () => {
    const all = [sender(1, 4 * MiB), sender(2, 16_384)]
    const away = run(all, { drainPerS: 0, seconds: 60, bound: 1000 * MiB })
    expect(all.map((entry) => entry.refused)).toEqual([0, 0])
    expect(away.lag).toBeGreaterThan(230 * MiB)
    const more = [sender(1, 40 * MiB), sender(2, 16_384)]
    const full = run(more, { drainPerS: 0, seconds: 120, bound: 1000 * MiB })
    expect(full.lagMax).toBeLessThan(1000 * MiB)
    expect(more.map((entry) => entry.refused > 0)).toEqual([true, false])
  })
  test('who sends alone is not held: the journal takes the burst', () => {
    const alone = sender(1, 40 * MiB)
    const { lag } = run([alone], { drainPerS: 8 * MiB, seconds: 30 })
    expect(alone.refused).toBe(0)
    expect(lag).toBeGreaterThan(500 * MiB)
  })
  test('it ends with the lag: the next burst is taken at once', () => {
    const noisy = sender(1, 40 * MiB)
    const { share } = run([noisy, sender(2, 16_384)], {
      drainPerS: (second) => (second < 20 ? 4 * MiB : 400 * MiB),
      seconds: 60,
    })
    const refused = noisy.refused
    expect(refused).toBeGreaterThan(0)
    expect(share.level(noisy.key)).toBe(Number.POSITIVE_INFINITY)
  })
  test('large bodies press from further on: one of them alone is no flood', () => {
    const state = { lag: 0, done: 0, beside: 0 }
    const share = createShare(
      { lagBytes: () => state.lag, doneBytes: () => state.done, bodyBytes: () => state.beside, waitingBytes: () => 0 },
      10_000 * MiB,
    )
    const at = 1_800_000_000_000
    const send = (n: number) => {
      state.done += MiB / 10
      share.take(keyOf(2), 1000, at + n * 250)
      return share.take(keyOf(1), 40 * MiB, at + n * 250) ?? share.waits(keyOf(1))
    }
    Object.assign(state, { lag: 205 * MiB, beside: 200 * MiB })
    expect(Array.from({ length: 8 }, (_, n) => send(n)).every((entry) => entry === undefined)).toBe(true)
    Object.assign(state, { lag: 405 * MiB, beside: 400 * MiB })
    const answers = Array.from({ length: 40 }, (_, n) => send(n + 8))
    expect(answers.at(-1)).toEqual({ scope: 'key', reason: 'overloaded', retryAfterS: 5 })
    expect([share.waits(keyOf(1))?.reason, share.waits(keyOf(2)), share.waits(keyOf(3))]).toEqual([
      'overloaded',
      undefined,
      undefined,
    ])
    Object.assign(state, { lag: 0, beside: 0 })
    for (let n = 48; n < 52; n++) send(n)
    expect(share.waits(keyOf(1))).toBeUndefined()
  })
  describe('room for large bodies that come in', () => {
    const at = 1_800_000_000_000
    const withBound = (bound: number, lag = 0) =>
      createShare({ lagBytes: () => lag, doneBytes: () => 0, bodyBytes: () => 0, waitingBytes: () => 0 }, bound)
    /** Returns how many bodies of 8 MiB each sender gets in when all ask in turn. */
    function fill(share: ReturnType<typeof createShare>, keys: IngestKey[]): number[] {
      const got = keys.map(() => 0)
      for (let turn = 0; turn < 200; turn++)
        keys.forEach((key, i) => {
          if (!share.reserve(key, 8 * MiB, at)) got[i] = (got[i] ?? 0) + 1
        })
      return got
    }
    test('who is alone takes all of it', () => {
      expect(fill(withBound(64 * MiB), [keyOf(1)])).toEqual([200])
    })
    test.each<[string, number, IngestKey[], number, number]>([
      ['half, while there are others', 0, [keyOf(1)], 64, 64],
      ['half of what is left', 512 * MiB, [keyOf(1)], 32, 32],
      ['a third each', 0, [keyOf(1), keyOf(2)], 42, 43],
      ['keys of one organization part what is theirs', 0, [keyOf(1, 5), keyOf(3, 5)], 21, 22],
    ])('%s', (_name, lag, keys, least, most) => {
      const share = withBound(1024 * MiB, lag)
      share.take(keyOf(9), 1, at)
      for (const key of keys) share.take(key, 1, at)
      for (const got of fill(share, keys)) {
        expect(got).toBeGreaterThanOrEqual(least)
        expect(got).toBeLessThanOrEqual(most)
      }
      // A new key gets room, even for a body that exceeds its part.
      expect(share.reserve(keyOf(9), 900 * MiB, at)).toBeUndefined()
    })
    test('a small part of the bound is free for all', () => {
      const share = withBound(10_000 * MiB)
      for (const key of [keyOf(1), keyOf(2)]) share.take(key, 1, at)
      expect(Array.from({ length: 32 }, () => share.reserve(keyOf(1), 8 * MiB, at))).not.toContain(expect.anything())
    })
    test('what is given back may be taken again; the refusal says when to come', () => {
      const share = withBound(64 * MiB)
      share.take(keyOf(2), 1, at)
      const all = Array.from({ length: 5 }, () => share.reserve(keyOf(1), 8 * MiB, at))
      expect(all.slice(0, 4)).toEqual([undefined, undefined, undefined, undefined])
      expect(all[4]).toEqual({ scope: 'key', reason: 'overloaded', retryAfterS: 5 })
      share.release(keyOf(1), 8 * MiB)
      expect(share.reserve(keyOf(1), 8 * MiB, at)).toBeUndefined()
      share.release(keyOf(1), 32 * MiB)
      expect(share.reserve(keyOf(1), 32 * MiB, at)).toBeUndefined()
    })
  })
  test('a clock that is set back or far forward holds nobody for ever', () => {
    const state = { lag: 100 * MiB }
    const share = createShare(
      { lagBytes: () => state.lag, doneBytes: () => 0, bodyBytes: () => 0, waitingBytes: () => 0 },
      10_000 * MiB,
    )
    const at = 1_800_000_000_000
    for (let i = 0; i < 100; i++) share.take(keyOf(1), MiB, at + i * 100)
    state.lag = 0
    for (const nowMs of [at - 86_400_000, at - 86_399_000, at + 86_400_000, at + 86_401_000])
      share.take(keyOf(1), 1, nowMs)
    expect(share.level(keyOf(1))).toBe(Number.POSITIVE_INFINITY)
    expect(share.take(keyOf(1), 1, at + 86_402_000)).toBeUndefined()
  })
})

describe('to the byte', () => {
  const at = 1_800_000_000_000
  const journal = (state: { lag: number; done?: number; beside?: number }) => ({
    lagBytes: () => state.lag,
    doneBytes: () => state.done ?? 0,
    bodyBytes: () => state.beside ?? 0,
    waitingBytes: () => 0,
  })
  const refusal = { scope: 'key', reason: 'overloaded', retryAfterS: 5 }

  test.each([
    ['below the pressure', pressureBytes - 1, 0, Number.POSITIVE_INFINITY],
    ['at the pressure', pressureBytes, 0, 64 * 1024],
    ['what lies beside the journal does not press with it', pressureBytes + 50, 51, Number.POSITIVE_INFINITY],
    ['below its own pressure', spoolPressureBytes - 1, spoolPressureBytes - 1, Number.POSITIVE_INFINITY],
    ['at its own pressure', spoolPressureBytes, spoolPressureBytes, 64 * 1024],
  ])('shares are held %s', (_name, lag, beside, level) => {
    const state = { lag: 0, done: 0, beside: 0 }
    const share = createShare(journal(state), 10_000 * MiB)
    for (const key of [keyOf(1), keyOf(2)]) share.take(key, MiB, at)
    Object.assign(state, { lag, beside, done: 1 })
    share.take(keyOf(1), MiB, at + 250)
    expect(share.level(keyOf(1))).toBe(level)
  })

  test.each([
    ['half of the pressure', pressureBytes / 2, 64 * 1024],
    ['less', pressureBytes / 2 - 1, Number.POSITIVE_INFINITY],
  ])('limits stay until %s waits', (_name, lag, level) => {
    const state = { lag: pressureBytes, done: 1 }
    const share = createShare(journal(state), 10_000 * MiB)
    for (const key of [keyOf(1), keyOf(2)]) share.take(key, MiB, at)
    share.take(keyOf(1), MiB, at + 250)
    expect(share.level(keyOf(1))).toBe(64 * 1024)
    Object.assign(state, { lag, done: 2 })
    share.take(keyOf(1), MiB, at + 500)
    expect(share.level(keyOf(1))).toBe(level)
  })

  test('a stalled refine holds from half of the bound on, for the last minute of room', () => {
    const bound = 100 * MiB
    const levels = [bound / 2 - 1, bound / 2].map((lag) => {
      const state = { lag }
      const share = createShare(journal(state), bound)
      for (let n = 0; n < 20; n++) for (const key of [keyOf(1), keyOf(2)]) share.take(key, 4 * MiB, at + n * 250)
      return share.level(keyOf(1))
    })
    // Half of the bound per minute, split between two keys.
    expect(levels).toEqual([Number.POSITIVE_INFINITY, bound / 2 / 60 / 2])
  })

  test('who owes waits until a share of time has paid, and takes nothing meanwhile', () => {
    const state = { lag: 60 * MiB }
    const share = createShare(journal(state), 100 * MiB)
    for (let n = 0; n < 20; n++) for (const key of [keyOf(1), keyOf(2)]) share.take(key, 4 * MiB, at + n * 250)
    const level = share.level(keyOf(1))
    expect(level).toBeCloseTo((40 * MiB) / 60 / 2, 0)
    expect(share.take(keyOf(1), 1, at + 4750)).toEqual(refusal)
    expect(share.waits(keyOf(1))).toEqual(refusal)
    // An unknown key does not wait.
    expect([share.waits(keyOf(3)), share.level(keyOf(3))]).toEqual([undefined, Number.POSITIVE_INFINITY])
  })

  test('a large body of events does not wait beside a flood of bulk data of its key, until its room is used', () => {
    const state = { lag: 60 * MiB }
    const share = createShare(journal(state), 100 * MiB)
    for (let n = 0; n < 20; n++)
      for (const key of [keyOf(1), keyOf(2)])
        share.take(key, 4 * MiB, at + n * 250, key.keyId === 1 ? 'bulk' : 'events')
    const waits = () => [share.waits(keyOf(1), 'bulk'), share.waits(keyOf(1), 'events'), share.waits(keyOf(1))]
    expect(waits()).toEqual([refusal, undefined, undefined])
    // Who floods with events has none.
    expect([share.waits(keyOf(2), 'bulk'), share.waits(keyOf(2), 'events')]).toEqual([refusal, refusal])
    expect(share.take(keyOf(1), 2 * MiB, at + 4750, 'events')).toBeUndefined()
    expect(waits()).toEqual([refusal, refusal, refusal])
  })

  test('who was heard within ten minutes is company, and after that no more', () => {
    const state = { lag: 60 * MiB }
    const share = createShare(journal(state), 100 * MiB)
    share.take(keyOf(2), 1, at)
    const flood = (fromMs: number) => {
      for (let n = 0; n < 40; n++) share.take(keyOf(1), 4 * MiB, fromMs + n * 250)
      return share.level(keyOf(1)) === Number.POSITIVE_INFINITY
    }
    expect(flood(at + 590_000)).toBe(false)
    expect(flood(at + 600_001)).toBe(true)
  })

  test('keys of one organization part what is theirs, others take theirs first', () => {
    const state = { lag: 60 * MiB }
    const share = createShare(journal(state), 100 * MiB)
    const keys = [keyOf(1, 5), keyOf(2, 5), keyOf(3, 6)]
    for (let n = 0; n < 40; n++) for (const key of keys) share.take(key, 4 * MiB, at + n * 250)
    const half = (40 * MiB) / 60 / 2
    expect(keys.map((key) => Math.round(share.level(key)))).toEqual([half / 2, half / 2, half].map(Math.round))
  })

  test('releasing what was never held changes nothing, and more than was held leaves nothing behind', () => {
    const share = createShare(journal({ lag: 0 }), 64 * MiB)
    share.take(keyOf(2), 1, at)
    share.release(keyOf(1), 100 * MiB)
    expect(share.reserve(keyOf(1), 16 * MiB, at)).toBeUndefined()
    share.release(keyOf(1), 100 * MiB)
    expect(share.reserve(keyOf(1), 32 * MiB, at)).toBeUndefined()
    expect(share.reserve(keyOf(1), 1, at)).toEqual(refusal)
  })

  test('a quarter of the bound is free for all, to the byte, however much waits', () => {
    const share = createShare(journal({ lag: 60 * MiB }), 64 * MiB)
    share.take(keyOf(2), 1, at)
    expect([share.reserve(keyOf(1), 8 * MiB, at), share.reserve(keyOf(1), 8 * MiB, at)]).toEqual([undefined, undefined])
    expect(share.reserve(keyOf(1), 1, at)).toEqual(refusal)
    // The first body of an organization passes, and no second one fits next to it.
    expect(share.reserve(keyOf(3), 1, at)).toBeUndefined()
    expect(share.reserve(keyOf(3), 2 * MiB, at)).toEqual(refusal)
  })
})
