import { faultOf } from '../observe.ts'
import type { Storing } from './storing.ts'

/** Asks the events store until it answers, as long as it takes. Throws its error once refining is stopped. */
export async function patiently<T>(
  { clock, observe, stopped }: Pick<Storing, 'clock' | 'observe' | 'stopped'>,
  ask: () => Promise<T>,
): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await ask()
    } catch (error) {
      if (stopped.signal.aborted) throw error
      if (tries % 20 === 0) observe.warn({ error: faultOf(error) }, 'waiting for the events store')
      await clock.sleep(Math.min(1000, 50 * 2 ** tries), stopped.signal)
    }
  }
}
