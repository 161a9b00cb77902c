import type { Limits } from '../../../domain/issue-states.ts'
import { compareReleases } from '../../../domain/release-order.ts'
import { fromJson } from '../database/store.ts'
import type { BatchStatements } from '../ingest/batch-statements.ts'
import type { IssueContext } from '../issues/issue-state.ts'

type Statements = Pick<BatchStatements, 'namedRelease' | 'madeRelease' | 'forecast'>

/** Creation time of a project's release in ms, by a person or its first event; undefined when it is unknown. */
export async function releaseCreatedMs(
  statements: Statements,
  projectId: number,
  version: string,
): Promise<number | undefined> {
  const times = [
    (await statements.madeRelease.get({ projectId, version }))?.ms,
    (await statements.namedRelease.get({ projectId, version }))?.ms,
  ].filter((item) => item !== undefined)
  return times.length === 0 ? undefined : Math.min(...times)
}

/** Context for the events of one project. Releases that this commit names first count as created at `nowMs`. */
export function issueContextOf(
  statements: Statements,
  projectId: number,
  nowMs: number,
  isInBatch: (version: string) => boolean = () => false,
): IssueContext {
  // An unknown release is still to come, so all known ones are older.
  const createdMs = async (version: string) =>
    (await releaseCreatedMs(statements, projectId, version)) ?? (isInBatch(version) ? nowMs : Number.MAX_SAFE_INTEGER)
  const cache = new Map<string, boolean>()
  // A flood of events of one issue needs the same forecast for each event.
  const limits = new Map<number, Limits | undefined>()
  return {
    nowMs,
    isLater: async (version, than) => {
      const key = `${version}\n${than}`
      const before = cache.get(key)
      if (before !== undefined) return before
      const later =
        version !== than &&
        compareReleases(
          { version, createdMs: await createdMs(version) },
          { version: than, createdMs: await createdMs(than) },
        ) > 0
      cache.set(key, later)
      return later
    },
    limitsOf: async (issueId) => {
      if (limits.has(issueId)) return limits.get(issueId)
      const row = await statements.forecast.get({ issueId })
      const found = row && fromJson<Limits>(row.limits)
      limits.set(issueId, found)
      return found
    },
  }
}
