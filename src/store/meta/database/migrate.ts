import { sql } from 'kysely'
import { MishapError } from '../../../base/errors.ts'
import { statements as first } from '../schema/0001-0025/0001-first.ts'
import { statements as alerts } from '../schema/0001-0025/0002-alerts.ts'
import { statements as revisions } from '../schema/0001-0025/0003-revisions.ts'
import { statements as people } from '../schema/0001-0025/0004-people.ts'
import { statements as thinning } from '../schema/0001-0025/0005-thinning.ts'
import { statements as environments } from '../schema/0001-0025/0006-environments.ts'
import { statements as artifacts } from '../schema/0001-0025/0007-artifacts.ts'
import { statements as releases } from '../schema/0001-0025/0008-releases.ts'
import { statements as releaseEnvironments } from '../schema/0001-0025/0009-release-environments.ts'
import { statements as regroup } from '../schema/0001-0025/0010-regroup.ts'
import { statements as scrape } from '../schema/0001-0025/0011-scrape.ts'
import { statements as commitFileNames } from '../schema/0001-0025/0012-commit-file-names.ts'
import { statements as grouping } from '../schema/0001-0025/0013-grouping.ts'
import { statements as merge } from '../schema/0001-0025/0014-merge.ts'
import { statements as searches } from '../schema/0001-0025/0015-searches.ts'
import { statements as filters } from '../schema/0001-0025/0016-filters.ts'
import { statements as triage } from '../schema/0001-0025/0017-triage.ts'
import { statements as attention } from '../schema/0001-0025/0018-attention.ts'
import { statements as bulk } from '../schema/0001-0025/0019-bulk.ts'
import { statements as failures } from '../schema/0001-0025/0020-failures.ts'
import { statements as noise } from '../schema/0001-0025/0021-noise.ts'
import { statements as suggestions } from '../schema/0001-0025/0022-suggestions.ts'
import { statements as failureAnswers } from '../schema/0001-0025/0023-failure-answers.ts'
import { statements as tombstones } from '../schema/0001-0025/0024-tombstones.ts'
import { statements as commitResolutions } from '../schema/0001-0025/0025-commit-resolutions.ts'
import { statements as loaderAndArchive } from '../schema/0026-loader-and-archive.ts'
import { statements as accounts } from '../schema/0027-accounts.ts'
import { statements as projectSwitches } from '../schema/0028-project-switches.ts'
import { statements as hiddenErrors } from '../schema/0029-hidden-errors.ts'
import { statements as routes } from '../schema/0030-routes.ts'
import { statements as viewScopes } from '../schema/0031-view-scopes.ts'
import { statements as detectors } from '../schema/0032-detectors.ts'
import { statements as traceSteps } from '../schema/0033-trace-steps.ts'
import { statements as lanes } from '../schema/0034-lanes.ts'
import { statements as metricSeries } from '../schema/0035-metric-series.ts'
import { statements as savedQueries } from '../schema/0036-saved-queries.ts'
import { statements as exports } from '../schema/0037-exports.ts'
import { statements as dashboards } from '../schema/0038-dashboards.ts'
import { statements as channels } from '../schema/0039-channels.ts'
import { statements as alertRules } from '../schema/0040-alert-rules.ts'
import { statements as issueTriggers } from '../schema/0041-issue-triggers.ts'
import { statements as incidents } from '../schema/0042-incidents.ts'
import { statements as personal } from '../schema/0043-personal.ts'
import { statements as trackers } from '../schema/0044-trackers.ts'
import { statements as memberGroups } from '../schema/0045-member-groups.ts'
import { statements as placesAndClicks } from '../schema/0046-places-and-clicks.ts'
import { statements as viewColumns } from '../schema/0047-view-columns.ts'
import { statements as workflows } from '../schema/0048-workflows.ts'
import { statements as deliveryKinds } from '../schema/0049-delivery-kinds.ts'
import { statements as deletedAlertRules } from '../schema/0050-deleted-alert-rules.ts'
import { statements as viewFacets } from '../schema/0051-view-facets.ts'
import type { Connection } from './connection.ts'
import type { Dialect } from './dialect.ts'

/** All steps of the schema. A step's number is its place in the list, from 1. Never edit a released step. */
const steps: ((dialect: Dialect) => string[])[] = [
  first,
  alerts,
  revisions,
  people,
  thinning,
  environments,
  artifacts,
  releases,
  releaseEnvironments,
  regroup,
  scrape,
  commitFileNames,
  grouping,
  merge,
  searches,
  filters,
  triage,
  attention,
  bulk,
  failures,
  noise,
  suggestions,
  failureAnswers,
  tombstones,
  commitResolutions,
  loaderAndArchive,
  accounts,
  projectSwitches,
  hiddenErrors,
  routes,
  viewScopes,
  detectors,
  traceSteps,
  lanes,
  metricSeries,
  savedQueries,
  exports,
  dashboards,
  channels,
  alertRules,
  issueTriggers,
  incidents,
  personal,
  trackers,
  memberGroups,
  placesAndClicks,
  viewColumns,
  workflows,
  deliveryKinds,
  deletedAlertRules,
  viewFacets,
]

/** Key of the value with the version that wrote the database last, for the error message of older versions. */
export const programValue = 'program'

/** Returns the number of the last step of a database that has been migrated before. */
export async function versionOf(connection: Pick<Connection, 'get'>, { builder }: Dialect): Promise<number> {
  const row = await connection.get(builder.selectFrom('version').select(sql<number | null>`max(number)`.as('number')))
  return row?.number ?? 0
}

/**
 * Migrates the database to this version's schema, or only up to a step. Each step has its own transaction. A new SQLite
 * file gets all steps in one, which costs one sync of the disk instead of fifty. PostgreSQL would hold a lock for each
 * table and index until the end, and a small server has room for few. Throws START_NEWER_DATA when a newer version wrote
 * the database.
 */
export async function migrate(
  connection: Connection,
  dialect: Dialect,
  nowMs: number,
  last: number = steps.length,
): Promise<void> {
  await connection.script(
    `create table if not exists version (number integer primary key, applied_ms ${dialect.bigint} not null)`,
  )
  const found = await versionOf(connection, dialect)
  if (found > steps.length) {
    const named = await connection.get(
      dialect.builder.selectFrom('value').select('text').where('name', '=', programValue),
    )
    const writer = named ? `Mishap ${named.text}` : 'a newer version'
    throw new MishapError('START_NEWER_DATA', {
      detail: `The database was written by ${writer} (schema ${found}; this version knows ${steps.length}). Use that version, or a newer version.`,
    })
  }
  const missing = steps.slice(found, Math.max(found, last)).map((step, index) => ({ step, number: found + index + 1 }))
  const apply = async ({ step, number }: (typeof missing)[number]) => {
    for (const statement of [...step(dialect), ...dialect.afterStep]) await connection.script(statement)
    await connection.run(dialect.builder.insertInto('version').values({ number, applied_ms: nowMs }))
  }
  const inOne = async (list: typeof missing) =>
    connection.transaction(async () => {
      for (const item of list) await apply(item)
    })
  if (dialect.name === 'sqlite' && found === 0 && missing.length > 0) return inOne(missing)
  for (const item of missing) await inOne([item])
}
