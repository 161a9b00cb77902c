// NODE_OPTIONS=--import loads this file into every process of the product. It kills the product at a named step of the
// downsampling of traces. The product has no code for it.
import { existsSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { isMainThread } from 'node:worker_threads'
import { afterRun, watchRequests } from './statements.ts'

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

function reached(step: TraceStepName): void {
  if (step !== wanted || existsSync(markFile)) return
  writeFileSync(markFile, step)
  process.kill(0, 'SIGKILL')
}

const state = { commits: false }

function watchSqlite(): void {
  const { prepare, exec } = DatabaseSync.prototype
  DatabaseSync.prototype.prepare = function (text: string, ...rest) {
    const statement = prepare.call(this, text, ...rest)
    const isPlan = /insert into "trace_step"/i.test(text)
    const isCount = /update "trace_step" set "stage" = \?, "rows_before"/i.test(text)
    const isCut = /update "trace_step" set "stage" = \? where/i.test(text)
    if (!isPlan && !isCount && !isCut) return statement
    afterRun(statement, () => {
      if (isCount) state.commits = true
      else reached(isPlan ? 'planned' : 'cut')
    })
    return statement
  }
  DatabaseSync.prototype.exec = function (text: string) {
    const isCommit = state.commits && text.trim().toLowerCase() === 'commit'
    if (isCommit) reached('commit-begins')
    exec.call(this, text)
    if (isCommit) {
      state.commits = false
      reached('commit-done')
    }
  }
}

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
  watchSqlite()
  watchHttp()
}
