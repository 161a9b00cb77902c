import type { Limits } from '../../../domain/issue-states.ts'
import { compareReleases } from '../../../domain/release-order.ts'
import { fromJson } from '../database/store.ts'
import type { BatchStatements } from '../ingest/batch-statements.ts'
import type { Around } from '../issues/issue-state.ts'

type Statements = Pick<BatchStatements, 'namedRelease' | 'madeRelease' | 'forecast'>

/** Creation time of a project's release in ms, by a person or its first event; undefined when it is unknown. */
export function releaseMadeMs(statements: Statements, projectId: number, version: string): number | undefined {
  const times = [
    statements.madeRelease.get({ projectId, version })?.ms,
    statements.namedRelease.get({ projectId, version })?.ms,
  ].filter((item) => item !== undefined)
  return times.length === 0 ? undefined : Math.min(...times)
}

/** Context for the events of one project. Releases that this commit names first count as created at `nowMs`. */
export function aroundOf(
  statements: Statements,
  projectId: number,
  nowMs: number,
  isKnownHere: (version: string) => boolean = () => false,
): Around {
  // An unknown release is still to come, so all known ones are older.
  const madeMs = (version: string) =>
    releaseMadeMs(statements, projectId, version) ?? (isKnownHere(version) ? nowMs : Number.MAX_SAFE_INTEGER)
  const known = new Map<string, boolean>()
  // A flood of events of one issue needs the same forecast for each event.
  const limits = new Map<number, Limits | undefined>()
  return {
    nowMs,
    isLater: (version, than) => {
      const key = `${version}\n${than}`
      const before = known.get(key)
      if (before !== undefined) return before
      const later =
        version !== than &&
        compareReleases({ version, createdMs: madeMs(version) }, { version: than, createdMs: madeMs(than) }) > 0
      known.set(key, later)
      return later
    },
    limitsOf: (issueId) => {
      if (limits.has(issueId)) return limits.get(issueId)
      const row = statements.forecast.get({ issueId })
      const found = row && fromJson<Limits>(row.limits)
      limits.set(issueId, found)
      return found
    },
  }
}
