// NODE_OPTIONS=--import loads this file into every process of the product. It kills the product at a named step of
// reprocessing. The product has no code for it.
import { isMainThread } from 'node:worker_threads'
import { killerAt, watchRequests, watchStepTable } from './statements.ts'

/** Points between the steps of reprocessing in ARCHITECTURE.md, in their order. */
export const reprocessingSteps = [
  'planned',
  'write-begins',
  'write-runs',
  'write-answered',
  'commit-begins',
  'commit-done',
  'delete-begins',
  'delete-answered',
  'recount-begins',
  'recount-answered',
  'cut',
] as const
type RegroupStepName = (typeof reprocessingSteps)[number]

const { REGROUP_STEP: wanted, REGROUP_DONE: markFile = '' } = process.env

const reached = killerAt<RegroupStepName>(wanted, markFile)

/** A step runs in this process, and the queries to the engine belong to it. */
let isOpen = false

const watchHttp = () =>
  watchRequests((request, target) => {
    if (/query_id=regroup/.test(target)) {
      reached('write-begins')
      request.once('finish', () => setTimeout(() => reached('write-runs'), 3))
      request.prependListener('response', () => reached('write-answered'))
      return undefined
    }
    if (!isOpen) return undefined
    return (statement) => {
      const step = /^\s*DELETE FROM \w+\.events/.test(statement)
        ? 'delete'
        : /^\s*INSERT INTO \w+\.hour_issue/.test(statement)
          ? 'recount'
          : undefined
      if (!step) return
      reached(`${step}-begins`)
      request.prependListener('response', () => reached(`${step}-answered`))
    }
  })

if (wanted && isMainThread) {
  watchStepTable('regroup_step', 'stale', reached, (stage) => {
    isOpen = stage !== 'cut'
  })
  watchHttp()
}
