// NODE_OPTIONS=--import loads this file into every process of the product. It kills the product at a named step of
// reprocessing. The product has no code for it.
import { existsSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { DatabaseSync } from 'node:sqlite'
import { isMainThread } from 'node:worker_threads'
import { afterRun } from './statements.ts'

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

function watchHttp(): void {
  const { request } = http
  http.request = ((...words: Parameters<typeof http.request>) => {
    const made = request(...words)
    if (/query_id=regroup/.test(String(words[0]))) {
      reached('write-begins')
      made.once('finish', () => setTimeout(() => reached('write-runs'), 3))
      made.prependListener('response', () => reached('write-answered'))
    } else if (state.isOpen) {
      // The first chunk of `write` or `end` is the statement.
      let isSeen = false
      const inspect = (piece: unknown): void => {
        if (isSeen || piece === undefined || typeof piece === 'function') return
        isSeen = true
        const text = String(piece)
        const step = /^\s*DELETE FROM \w+\.events/.test(text)
          ? 'delete'
          : /^\s*INSERT INTO \w+\.hour_issue/.test(text)
            ? 'recount'
            : undefined
        if (!step) return
        reached(`${step}-begins`)
        made.prependListener('response', () => reached(`${step}-answered`))
      }
      for (const name of ['write', 'end'] as const) {
        const own = made[name].bind(made) as (...all: unknown[]) => never
        made[name] = ((...all: unknown[]) => {
          inspect(all[0])
          return own(...all)
        }) as never
      }
    }
    return made
  }) as typeof http.request
  syncBuiltinESMExports()
}

if (wanted && isMainThread) {
  watchSqlite()
  watchHttp()
}
