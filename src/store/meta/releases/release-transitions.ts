import type { Limits } from '../../../domain/issue-states.ts'
import { compareReleases } from '../../../domain/release-order.ts'
import { fromJson } from '../database/store.ts'
import type { BatchStatements } from '../ingest/batch-statements.ts'
import { afterOf, type IssueContext, type IssueRow } from '../issues/issue-state.ts'

type NamedRelease = { organization_id: number; project_id: number; version: string }

/** Creation times of releases in ms, by `releaseKey`: by a person or by the first event. Unknown releases are absent. */
export type ReleaseTimes = Map<string, number>

export const releaseKey = (projectId: number, version: string): string => `${projectId} ${version}`

/** Loads the creation times of releases. Names can repeat. Adds those that are in use to `used`. */
export async function releaseTimesOf(
  statements: Pick<BatchStatements, 'releaseTimes'>,
  releases: readonly NamedRelease[],
  used?: Set<string>,
): Promise<ReleaseTimes> {
  const unique = new Map(releases.map((release) => [releaseKey(release.project_id, release.version), release]))
  const times: ReleaseTimes = new Map()
  for (const row of await statements.releaseTimes.all([...unique.values()])) {
    const known = [row.first_event_ms, row.created_ms].filter((ms) => ms !== null)
    if (row.first_event_ms !== null) used?.add(releaseKey(row.project_id, row.version))
    if (known.length > 0) times.set(releaseKey(row.project_id, row.version), Math.min(...known))
  }
  return times
}

/** Loads the forecasts of issues. Issues without one are absent. */
export async function limitsOf(
  statements: Pick<BatchStatements, 'forecasts'>,
  issueIds: Iterable<number>,
): Promise<Map<number, Limits>> {
  const rows = await statements.forecasts.all([...issueIds].map((id) => ({ id })))
  return new Map(rows.map((row) => [row.issue_id, fromJson<Limits>(row.limits)]))
}

type KnownState = { projectId: number; nowMs: number; times: ReleaseTimes; limits?: ReadonlyMap<number, Limits> }

/** Context for the events of one project. Releases that this commit names first count as created at `nowMs`. */
export function issueContextOf(
  { projectId, nowMs, times, limits }: KnownState,
  isInBatch: (version: string) => boolean = () => false,
): IssueContext {
  // An unknown release is still to come, so all known ones are older.
  const createdMs = (version: string) =>
    times.get(releaseKey(projectId, version)) ?? (isInBatch(version) ? nowMs : Number.MAX_SAFE_INTEGER)
  const cache = new Map<string, boolean>()
  return {
    nowMs,
    isLater: (version, than) => {
      const key = `${version}\n${than}`
      const before = cache.get(key)
      if (before !== undefined) return before
      const later =
        version !== than &&
        compareReleases({ version, createdMs: createdMs(version) }, { version: than, createdMs: createdMs(than) }) > 0
      cache.set(key, later)
      return later
    },
    limitsOf: (issueId) => limits?.get(issueId),
  }
}

/** The releases that a resolved issue is compared with: the one it is resolved in, or the one it waits to follow. */
export function comparedReleases(row: IssueRow): NamedRelease[] {
  if (row.status !== 'resolved') return []
  const { inRelease = '' } = fromJson<{ inRelease?: string }>(row.status_details)
  return [inRelease, afterOf(row)]
    .filter((version) => version !== '')
    .map((version) => ({ organization_id: row.organization_id, project_id: row.project_id, version }))
}

/** Loads the context in which events of `version` arrive in an issue. It knows no forecasts. */
export async function arrivalContext(
  statements: Pick<BatchStatements, 'releaseTimes'>,
  row: IssueRow,
  version: string,
  nowMs: number,
): Promise<IssueContext> {
  const { organization_id, project_id } = row
  const compared = comparedReleases(row)
  const named = compared.length > 0 && version !== '' ? [{ organization_id, project_id, version }, ...compared] : []
  return issueContextOf({ projectId: project_id, nowMs, times: await releaseTimesOf(statements, named) })
}
