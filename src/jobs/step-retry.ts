import type { Clock } from '../base/clock.ts'
import { MishapError } from '../base/errors.ts'
import { faultOf, type Observe } from '../base/observe.ts'

/** A step is verified after this time. Parts that a power cut can restore are gone by then. */
export const verifyAfterMs = 15 * 60_000
/** Attempts of a step that fails although the stores are up. */
const triesMax = 5

/**
 * Repeats `attempt` until a step of downsampling is done. Errors with one of `outageCodes` are retried without limit,
 * others five times. Then, and after `stopped`, the last error is thrown. `tries` counts from 1.
 */
export async function retryStep(
  { clock, observe }: { clock: Clock; observe: Observe },
  { id, outageCodes, stopped }: { id: number; outageCodes: readonly string[]; stopped: AbortSignal },
  attempt: (tries: number) => Promise<void>,
): Promise<void> {
  for (let tries = 1; ; tries++)
    try {
      return await attempt(tries)
    } catch (error) {
      const isOutage = error instanceof MishapError && outageCodes.includes(error.code)
      if (stopped.aborted || (!isOutage && tries >= triesMax)) throw error
      observe.warn({ step: id, tries, error: faultOf(error) }, 'a downsampling step is retried')
      await clock.sleep(Math.min(5000, 200 * 2 ** Math.min(tries, 8)), stopped)
    }
}
