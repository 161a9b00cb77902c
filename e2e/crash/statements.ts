import http, { type ClientRequest } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import type { StatementSync } from 'node:sqlite'

/** Calls `done` after each run of the statement. `get` runs the inserts that return the new id. */
export function afterRun(statement: StatementSync, done: () => void): void {
  for (const method of ['run', 'get'] as const) {
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
