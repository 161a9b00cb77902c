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
