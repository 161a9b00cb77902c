import type { RestExport } from '../../contract/explore/exports.ts'
import type { Export } from '../../store/meta/explore/exports.ts'

/** How long a file is there (docs/export.md). */
export const exportRetentionMs = 7 * 86_400_000

const iso = (ms: number): string => new Date(ms).toISOString()

/** Converts an export to the API's shape. `organization`: the slug of its organization. */
export function toRestExport(value: Export, organization: string): RestExport {
  const { request } = value
  const hasFile = value.blobKey !== ''
  return {
    id: String(value.id),
    format: value.format,
    state: value.state,
    plan: request.plan,
    projects: request.projectIds.map(String),
    environments: request.environments,
    start: iso(request.fromMs),
    end: iso(request.toMs),
    rows: value.rowsDone,
    rowsTotal: value.rowsTotal,
    bytes: value.bytes,
    fileName: `${organization}-${request.plan.dataset}-${value.id}.${value.format}`,
    error: value.error === '' ? null : value.error,
    dateCreated: iso(value.createdMs),
    dateEnded: value.endedMs === null ? null : iso(value.endedMs),
    dateExpires: hasFile && value.endedMs !== null ? iso(value.endedMs + exportRetentionMs) : null,
    downloadUrl: hasFile ? `/api/0/organizations/${organization}/exports/${value.id}/download/` : null,
  }
}
