import { expect, test } from 'vitest'
import { MishapError } from '../../base/errors.ts'
import type { Limits } from '../../store/events/question.ts'
import { withinLimits } from './limits.ts'

const scope = { projectIds: [1], environments: [], fromMs: 0, toMs: 16_000 }
const late = () => new MishapError('QUERY_TIMEOUT')
const large = () => new MishapError('QUERY_TIMEOUT', { causes: ['memory'] })

/** Asks with a store whose newest part begins at `newestMs`, and with these failures before an answer. */
async function asked(
  failures: unknown[],
  { newestMs = 0, reads = 'wide' as 'wide' | 'newest', signal = undefined as AbortSignal | undefined } = {},
) {
  const tries: { fromMs: number; limits: Limits }[] = []
  const events = { newestPart: async () => ({ fromMs: newestMs, rows: 1 }) }
  const found = withinLimits(events, { from: 'spans', scope, reads, signal }, async (part, { limits, cost }) => {
    tries.push({ fromMs: part.fromMs, limits })
    cost.rows += 10
    const failure = failures[tries.length - 1]
    if (failure) throw failure
    return 'answer'
  })
  const answered = await found.catch((error: unknown) => error)
  return { tries, answered }
}

test('a range within the limits is read completely', async () => {
  const { tries, answered } = await asked([])
  expect(tries.map(({ fromMs }) => fromMs)).toEqual([0])
  expect(answered).toEqual({ answer: 'answer', scanned: { scope, partial: null, cost: { rows: 10, bytes: 0 } } })
})

test('of too many rows the newest part is read', async () => {
  const { answered } = await asked([], { newestMs: 4000 })
  expect(answered).toMatchObject({ scanned: { scope: { fromMs: 4000 }, partial: { reason: 'rows' } } })
  const list = await asked([], { newestMs: 4000, reads: 'newest' })
  expect(list.answered).toMatchObject({ scanned: { scope: { fromMs: 0 }, partial: null } })
})

test.each([
  ['time', late],
  ['memory', large],
] as const)(
  'over its limit of %s a question is asked again about the newest quarter, in less time',
  async (reason, failure) => {
    const { tries, answered } = await asked([failure(), failure()])
    expect(tries.map(({ fromMs }) => fromMs)).toEqual([0, 12_000, 15_000])
    expect(answered).toMatchObject({ scanned: { scope: { fromMs: 15_000 }, partial: { reason }, cost: { rows: 30 } } })
    const seconds = tries.map(({ limits }) => limits.seconds ?? 0)
    expect(seconds.toSorted((a, b) => b - a)).toEqual(seconds)
    // A screen gives up after 20 s.
    expect(seconds.reduce((sum, one) => sum + one, 0)).toBeLessThan(20)
  },
)

test.each<[what: string, failures: unknown[], signal: AbortSignal | undefined, tries: number]>([
  ['the last try', [late(), late(), late()], undefined, 3],
  ['a caller who left', [late()], AbortSignal.abort(), 1],
  ['another error', [new MishapError('STORE_UNAVAILABLE')], undefined, 1],
])('%s ends with its error', async (_what, failures, signal, count) => {
  const { tries, answered } = await asked(failures, { signal })
  expect([tries.length, answered]).toEqual([count, failures.at(-1)])
})
