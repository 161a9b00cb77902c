// NODE_OPTIONS=--import loads this file into every process of the product. It kills the product at a named step of the
// downsampling of traces. The product has no code for it.
import { isMainThread } from 'node:worker_threads'
import { killerAt, watchRequests, watchStepTable } from './statements.ts'

/** Points between the steps of decision 35, in their order. */
export const traceSteps = [
  'planned',
  'choose-runs',
  'choose-answered',
  'build-runs',
  'build-answered',
  'commit-begins',
  'commit-done',
  'removed-answered',
  'segments-answered',
  'replace-runs',
  'replace-answered',
  'cut',
] as const
type TraceStepName = (typeof traceSteps)[number]

const { TRACE_STEP: wanted, TRACE_DONE: markFile = '' } = process.env

const reached = killerAt<TraceStepName>(wanted, markFile)

/** The step of a statement, by its beginning. */
const stepOf = (text: string): 'choose' | 'build' | 'removed' | 'segments' | 'replace' | undefined => {
  if (/^\s*INSERT INTO \w+\.kept_traces/.test(text)) return 'choose'
  if (/^\s*INSERT INTO \w+\.spans_sample/.test(text)) return 'build'
  if (/^\s*INSERT INTO \w+\.spans_downsampled/.test(text)) return 'removed'
  if (/^\s*ALTER TABLE \w+\.segments REPLACE PARTITION/.test(text)) return 'segments'
  return /^\s*ALTER TABLE \w+\.spans REPLACE PARTITION/.test(text) ? 'replace' : undefined
}

const watchHttp = () =>
  watchRequests((request) => (statement) => {
    const step = stepOf(statement)
    if (!step) return
    if (step !== 'removed' && step !== 'segments')
      request.once('finish', () => setTimeout(() => reached(`${step}-runs`), 2))
    request.prependListener('response', () => reached(`${step}-answered`))
  })

if (wanted && isMainThread) {
  watchStepTable('trace_step', 'rows_before', reached)
  watchHttp()
}
