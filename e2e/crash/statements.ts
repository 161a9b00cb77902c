import { existsSync, writeFileSync } from 'node:fs'
import http, { type ClientRequest } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { DatabaseSync, type StatementSync } from 'node:sqlite'

/** Calls `done` after each run of the statement. `all` and `get` run the inserts that return the new id. */
function afterRun(statement: StatementSync, done: () => void): void {
  for (const method of ['run', 'get', 'all'] as const) {
    const original = statement[method].bind(statement) as (...values: unknown[]) => unknown
    Object.assign(statement, {
      [method]: (...values: unknown[]) => {
        const result = original(...values)
        done()
        return result
      },
    })
  }
}

/** Returns what kills all processes once, at the step `wanted`. `markFile` says that it happened. */
export const killerAt =
  <Step extends string>(wanted: string | undefined, markFile: string) =>
  (step: Step): void => {
    if (step !== wanted || existsSync(markFile)) return
    writeFileSync(markFile, step)
    process.kill(0, 'SIGKILL')
  }

/** Watches the commit of a transaction that was marked by the returned function. */
export function watchCommits(reached: (step: 'commit-begins' | 'commit-done') => void): () => void {
  let isMarked = false
  const { exec } = DatabaseSync.prototype
  DatabaseSync.prototype.exec = function (text: string) {
    const isCommit = isMarked && text.trim().toLowerCase() === 'commit'
    if (isCommit) reached('commit-begins')
    exec.call(this, text)
    if (isCommit) {
      isMarked = false
      reached('commit-done')
    }
  }
  return () => {
    isMarked = true
  }
}

/** Calls `ran` after each run of a statement with the kind that `kindOf` gives it; undefined: not watched. */
export function watchStatements<Kind>(kindOf: (text: string) => Kind | undefined, ran: (kind: Kind) => void): void {
  const { prepare } = DatabaseSync.prototype
  DatabaseSync.prototype.prepare = function (text: string, ...rest) {
    const statement = prepare.call(this, text, ...rest)
    const kind = kindOf(text)
    if (kind !== undefined) afterRun(statement, () => ran(kind))
    return statement
  }
}

/** Watches the rows of a table of steps: `counted` is the first column that is set when a step is counted. */
export function watchStepTable(
  table: string,
  counted: string,
  reached: (step: 'planned' | 'commit-begins' | 'commit-done' | 'cut') => void,
  onStage: (stage: 'planned' | 'counted' | 'cut') => void = () => undefined,
): void {
  const markCommit = watchCommits(reached)
  const update = `update "${table}" set "stage" = ?`
  watchStatements(
    (text) => {
      const lower = text.toLowerCase()
      if (lower.includes(`insert into "${table}"`)) return 'planned'
      if (lower.includes(`${update}, "${counted}"`)) return 'counted'
      return lower.includes(`${update} where`) ? 'cut' : undefined
    },
    (stage: 'planned' | 'counted' | 'cut') => {
      onStage(stage)
      if (stage === 'counted') markCommit()
      else reached(stage)
    },
  )
}

/**
 * Watches the requests of this process. `watch` gets each with its first argument, and returns what looks at its statement:
 * the first chunk of `write` or `end`.
 */
export function watchRequests(
  watch: (request: ClientRequest, target: string) => ((statement: string) => void) | undefined,
): void {
  const { request } = http
  http.request = ((...words: Parameters<typeof http.request>) => {
    const made = request(...words)
    const onStatement = watch(made, String(words[0]))
    if (!onStatement) return made
    let isSeen = false
    const inspect = (piece: unknown): void => {
      if (isSeen || piece === undefined || typeof piece === 'function') return
      isSeen = true
      onStatement(String(piece))
    }
    for (const name of ['write', 'end'] as const) {
      const own = made[name].bind(made) as (...all: unknown[]) => never
      made[name] = ((...all: unknown[]) => {
        inspect(all[0])
        return own(...all)
      }) as never
    }
    return made
  }) as typeof http.request
  syncBuiltinESMExports()
}
