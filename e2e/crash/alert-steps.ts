// NODE_OPTIONS=--import loads this file into every process of the product. It kills around the commit of a decision.
// It is armed while the mark file is absent. The product has no code for it.
import { killerAt, watchCommits, watchStatements } from './statements.ts'

/** Moments of a decision in the process: its delivery is written, its commit begins, its commit is done. */
export type AlertStep = 'delivery-written' | 'commit-begins' | 'commit-done'

const { CRASH_STEP: wanted, CRASH_DONE: markFile = '' } = process.env

if (wanted) {
  const reached = killerAt<AlertStep>(wanted, markFile)
  const markCommit = watchCommits(reached)
  watchStatements(
    (text) => (/insert into "delivery"/i.test(text) ? 'delivery' : undefined),
    () => {
      markCommit()
      reached('delivery-written')
    },
  )
}
