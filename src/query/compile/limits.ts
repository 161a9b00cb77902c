import { MishapError } from '../../base/errors.ts'
import type { PlanAnswer } from '../../contract/explore/explore.ts'
import type { Scope } from '../../store/events/events.ts'
import type { Asked, Cost, Limits, QuestionStore } from '../../store/events/question.ts'

/**
 * Most rows that one answer reads: of narrow columns, for percentiles and distinct values, and of attributes, patterns
 * or JSON. Longer ranges are answered from their newest part. Each takes up to 300 ms (bench/span-search.ts): 165 ms for
 * a count of 8.6 million spans, 220 ms for percentiles of 2 million.
 */
const rowsMax = { narrow: 8_000_000, costly: 2_000_000, wide: 1_500_000 }
export type Reads = keyof typeof rowsMax

const MiB = 1024 ** 2
/**
 * Limits of one statement, from the first try to the last. A statement that reaches one is asked again about a quarter
 * of its range. `break` of the engine was rejected: it answers from any rows that it has read by then, and does not say
 * from which. All tries together end before a screen gives up (20 s).
 */
const tries: readonly Required<Limits>[] = [
  { seconds: 8, memoryBytes: 400 * MiB },
  { seconds: 6, memoryBytes: 400 * MiB },
  { seconds: 4, memoryBytes: 400 * MiB },
]
const shrink = 4

/** Limits of the same question about the period before, which can have any number of rows. */
export const limitsBefore: Required<Limits> = { seconds: 8, memoryBytes: 400 * MiB }

type Partial = NonNullable<PlanAnswer['meta']['partial']>
const sentences: Record<Partial['reason'], string> = {
  rows: 'The range has more rows than one answer reads. Only its newest part was read.',
  time: 'The query reached its time limit. Only the newest part of the range was read.',
  memory: 'The query reached its memory limit. Only the newest part of the range was read.',
}

/** The part of a scope that was read, and why not all of it. */
export type Scanned = { scope: Scope; partial: Partial | null; cost: Cost }

const reasonOf = (error: unknown): 'time' | 'memory' | undefined => {
  if (!(error instanceof MishapError) || error.code !== 'QUERY_TIMEOUT') return undefined
  return error.causes.includes('memory') ? 'memory' : 'time'
}

/** Returns the newest part of a scope that a screen reads in time. Throws STORE_UNAVAILABLE, QUERY_TIMEOUT. */
export async function newestScope(
  events: Pick<QuestionStore, 'newestPart'>,
  from: Asked,
  scope: Scope,
  reads: Reads,
  signal?: AbortSignal,
): Promise<Scope> {
  return { ...scope, fromMs: (await events.newestPart({ from, scope, signal }, rowsMax[reads])).fromMs }
}

type Limited = { from: Asked; scope: Scope; reads: Reads | 'newest'; signal?: AbortSignal | undefined }

/**
 * Asks a question within the limits, about the newest part of the scope that they allow. `newest`: a list that stops at
 * its last row, so no rows are counted first. Throws QUERY_TIMEOUT if even a small part is too much.
 */
export async function withinLimits<Answer>(
  events: Pick<QuestionStore, 'newestPart'>,
  { from, scope, reads, signal }: Limited,
  ask: (scope: Scope, options: { limits: Limits; cost: Cost; signal: AbortSignal | undefined }) => Promise<Answer>,
): Promise<{ answer: Answer; scanned: Scanned }> {
  const cost = { rows: 0, bytes: 0 }
  let fromMs = scope.fromMs
  let reason: Partial['reason'] | undefined
  if (reads !== 'newest') {
    const part = await newestScope(events, from, scope, reads, signal)
    if (part.fromMs > scope.fromMs) [fromMs, reason] = [part.fromMs, 'rows']
  }
  for (const [at, limits] of tries.entries()) {
    try {
      const answer = await ask({ ...scope, fromMs }, { limits, cost, signal })
      const partial = reason ? { reason, sentence: sentences[reason] } : null
      return { answer, scanned: { scope: { ...scope, fromMs }, partial, cost } }
    } catch (error) {
      const found = reasonOf(error)
      if (!found || signal?.aborted || at === tries.length - 1) throw error
      reason = found
      fromMs = Math.floor(scope.toMs - (scope.toMs - fromMs) / shrink)
    }
  }
  throw new MishapError('QUERY_TIMEOUT')
}
