import type { Clock } from '../../base/clock.ts'
import type { IssueTrigger } from '../../store/meta/alerts/triggers.ts'
import type { MetaWith } from '../../store/meta/meta-store.ts'

/** Triggers of one transaction. */
const triggersMax = 500
/** Triggers that wait for a rule that cannot be evaluated. Beyond that they are given up: the state of the rule says why. */
const keptMax = 2000
const pauseMs = 60_000

/** The outbox of what happened to issues, without those that wait for a failed rule. */
export type DueTriggers = {
  /** The oldest ones. Those of one failed rule do not hold up other organizations. */
  next(): Promise<IssueTrigger[]>
  /** How many more can be kept. */
  room(): number
  /** Leaves these out for a minute. */
  keep(ids: readonly number[]): void
}

/** Creates the outbox of an evaluator. It remembers what it keeps; a restart tries that again at once. */
export function createDueTriggers(deps: {
  meta: MetaWith<'alertRules.issueTriggersDue'>
  clock: Pick<Clock, 'now'>
}): DueTriggers {
  const { meta, clock } = deps
  const kept = new Map<number, number>()
  return {
    next: async () => {
      const nowMs = clock.now()
      const max = triggersMax + kept.size
      const due = await meta.alertRules.issueTriggersDue(max, nowMs)
      const ids = new Set(due.map(({ id }) => id))
      // Those of a deleted issue are gone.
      if (due.length < max) for (const id of kept.keys()) if (!ids.has(id)) kept.delete(id)
      const fresh = due.filter(({ id }) => (kept.get(id) ?? 0) <= nowMs).slice(0, triggersMax)
      for (const { id } of fresh) kept.delete(id)
      return fresh
    },
    room: () => keptMax - kept.size,
    keep: (ids) => {
      for (const id of ids) kept.set(id, clock.now() + pauseMs)
    },
  }
}
