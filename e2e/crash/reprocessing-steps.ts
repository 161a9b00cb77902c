// NODE_OPTIONS=--import loads this file into every process of the product. It kills the product at a named step of
// reprocessing. The product has no code for it.
import { existsSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { isMainThread } from 'node:worker_threads'
import { afterRun, watchRequests } from './statements.ts'

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

function reached(step: RegroupStepName): void {
  if (step !== wanted || existsSync(markFile)) return
  writeFileSync(markFile, step)
  process.kill(0, 'SIGKILL')
}

/** `isOpen`: a step runs in this process, and the queries to the engine belong to it. */
const state = { isOpen: false, commits: false }

function watchSqlite(): void {
  const { prepare, exec } = DatabaseSync.prototype
  DatabaseSync.prototype.prepare = function (text: string, ...rest) {
    const statement = prepare.call(this, text, ...rest)
    const isPlan = /insert into "regroup_step"/i.test(text)
    const isCount = /update "regroup_step" set "stage" = \?, "stale"/i.test(text)
    const isCut = /update "regroup_step" set "stage" = \? where/i.test(text)
    if (!isPlan && !isCount && !isCut) return statement
    afterRun(statement, () => {
      state.isOpen = !isCut
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

const watchHttp = () =>
  watchRequests((request, target) => {
    if (/query_id=regroup/.test(target)) {
      reached('write-begins')
      request.once('finish', () => setTimeout(() => reached('write-runs'), 3))
      request.prependListener('response', () => reached('write-answered'))
      return undefined
    }
    if (!state.isOpen) return undefined
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
  watchSqlite()
  watchHttp()
}
