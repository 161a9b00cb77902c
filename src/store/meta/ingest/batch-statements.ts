import { type OnConflictBuilder, sql } from 'kysely'
import { triggerColumns } from '../alerts/triggers.ts'
import type { Connection } from '../database/connection.ts'
import type { Dialect } from '../database/dialect.ts'
import { type Database, idColumn, rowInsert, rowStatement } from '../database/row-statement.ts'
import type { Tables } from '../database/tables.ts'
import type { IssueRow } from '../issues/issue-state.ts'
import { issueStatements } from './issue-statements.ts'

/** When two events of an issue have the same digest, the later one is stored. */
export const laterDigest = (conflict: OnConflictBuilder<Tables, 'digest'>) =>
  conflict
    .columns(['digest', 'project_id', 'issue_id'])
    .doUpdateSet((build) => ({
      event_id: build.ref('excluded.event_id'),
      last_ms: build.ref('excluded.last_ms'),
    }))
    .whereRef('digest.last_ms', '<=', 'excluded.last_ms')

/**
 * All statements of a batch commit. Each one takes a list of rows, because PostgreSQL needs a round trip for every
 * statement: 2,000 upserts take 1.4 s as 2,000 statements, and 9 ms as one statement. Lists must not have two rows of one key.
 */
export type BatchStatements = ReturnType<typeof batchStatements>

export function batchStatements(write: Connection, dialect: Dialect) {
  const database = { write, dialect }
  return {
    ...issueStatements(database),
    ...projectStatements(database),
    ...spanStatements(database),
    ...placeStatements(database),
    ...rowStatements(database),
    ...stateStatements(database),
    ...alertStatements(database),
  }
}

/** A row of a project that a commit needs. */
export type ProjectRow = { id: number; organization_id: number; slug: string; first_event_ms: number | null }

function projectStatements(database: Database) {
  const { builder } = database.dialect
  return {
    projects: rowStatement(database, idColumn, (input) =>
      builder
        .selectFrom(input)
        .innerJoin('project', 'project.id', 'input.id')
        .select(['project.id', 'project.organization_id', 'project.slug', 'project.first_event_ms']),
    ),
    /** Takes the next `last` numbers of a prefix, and returns the last one taken. */
    shortIds: rowInsert(
      database,
      'short_id',
      { organization_id: 'integer', prefix: 'text', last: 'integer' },
      (insert) =>
        insert
          .onConflict((conflict) =>
            conflict
              .columns(['organization_id', 'prefix'])
              .doUpdateSet((build) => ({ last: build('short_id.last', '+', build.ref('excluded.last')) })),
          )
          .returning(['organization_id', 'prefix', 'last']),
    ),
    firstEvents: rowStatement(database, { id: 'integer', ms: 'integer' }, (input) =>
      builder
        .updateTable('project')
        .from(input)
        .set((build) => ({ first_event_ms: build.ref('input.ms') }))
        .whereRef('project.id', '=', 'input.id')
        .where('project.first_event_ms', 'is', null),
    ),
    keysUsed: rowStatement(database, { id: 'integer', ms: 'integer' }, (input) =>
      builder
        .updateTable('project_key')
        .from(input)
        .set((build) => ({ last_used_ms: build.ref('input.ms') }))
        .whereRef('project_key.id', '=', 'input.id'),
    ),
  }
}

/** Reads of the state that events are evaluated with. */
function stateStatements(database: Database) {
  const { builder } = database.dialect
  const version = { organization_id: 'integer', project_id: 'integer', version: 'text' } as const
  return {
    /** Issues of these projects that wait for the next release. */
    awaiting: rowStatement(database, idColumn, (input) =>
      builder
        .selectFrom(input)
        .innerJoin('issue', 'issue.project_id', 'input.id')
        .select(['issue.project_id', 'issue.id', 'issue.status_details'])
        // A literal, because SQLite does not use a partial index for a bound parameter.
        .where('issue.awaits_release', '=', sql.lit(1))
        .orderBy('issue.id'),
    ),
    /** When releases were first named by an event, and created by a person. */
    releaseTimes: rowStatement(database, version, (input) =>
      builder
        .selectFrom(input)
        .leftJoin('release', (join) =>
          join
            .onRef('release.organization_id', '=', 'input.organization_id')
            .onRef('release.version', '=', 'input.version')
            .onRef('release.project_id', '=', 'input.project_id'),
        )
        .leftJoin('made_release', (join) =>
          join
            .onRef('made_release.organization_id', '=', 'input.organization_id')
            .onRef('made_release.version', '=', 'input.version')
            .onRef('made_release.project_id', '=', 'input.project_id'),
        )
        .select(['input.project_id', 'input.version', 'release.first_event_ms', 'made_release.created_ms']),
    ),
    forecasts: rowStatement(database, idColumn, (input) =>
      builder
        .selectFrom(input)
        .innerJoin('issue_forecast', 'issue_forecast.issue_id', 'input.id')
        .select(['issue_forecast.issue_id', 'issue_forecast.limits']),
    ),
  }
}

function spanStatements(database: Database) {
  const { greatest, least } = database.dialect
  return {
    releases: rowInsert(
      database,
      'release',
      {
        organization_id: 'integer',
        project_id: 'integer',
        version: 'text',
        first_event_ms: 'integer',
        last_event_ms: 'integer',
      },
      (insert) =>
        insert.onConflict((conflict) =>
          conflict.columns(['organization_id', 'version', 'project_id']).doUpdateSet((build) => ({
            first_event_ms: least(build.ref('release.first_event_ms'), build.ref('excluded.first_event_ms')),
            last_event_ms: greatest(build.ref('release.last_event_ms'), build.ref('excluded.last_event_ms')),
          })),
        ),
    ),
    environments: rowInsert(
      database,
      'environment',
      { project_id: 'integer', name: 'text', first_seen_ms: 'integer', last_seen_ms: 'integer' },
      (insert) =>
        insert.onConflict((conflict) =>
          conflict.columns(['project_id', 'name']).doUpdateSet((build) => ({
            first_seen_ms: least(build.ref('environment.first_seen_ms'), build.ref('excluded.first_seen_ms')),
            last_seen_ms: greatest(build.ref('environment.last_seen_ms'), build.ref('excluded.last_seen_ms')),
          })),
        ),
    ),
    digests: rowInsert(
      database,
      'digest',
      { project_id: 'integer', digest: 'text', issue_id: 'integer', event_id: 'text', last_ms: 'integer' },
      (insert) => insert.onConflict(laterDigest),
    ),
  }
}

/** Maximum stored environments per release, because anybody with a key can send a new one in each event. */
export const releaseEnvironmentsMax = 100

/** An environment of a release, with the times of its events in ms. */
export type Place = {
  project_id: number
  version: string
  environment: string
  first_event_ms: number
  last_event_ms: number
}

function placeStatements(database: Database) {
  const { builder, greatest, least } = database.dialect
  const place = {
    project_id: 'integer',
    version: 'text',
    environment: 'text',
    first_event_ms: 'integer',
    last_event_ms: 'integer',
  } as const
  const existing = rowStatement(database, place, (input) =>
    builder
      .selectFrom(input)
      .innerJoin('release_environment', (join) =>
        join
          .onRef('release_environment.project_id', '=', 'input.project_id')
          .onRef('release_environment.version', '=', 'input.version')
          .onRef('release_environment.environment', '=', 'input.environment'),
      )
      .select(['input.project_id', 'input.version', 'input.environment']),
  )
  const counts = rowStatement(database, { project_id: 'integer', version: 'text' }, (input) =>
    builder
      .selectFrom(input)
      .innerJoin('release_environment', (join) =>
        join
          .onRef('release_environment.project_id', '=', 'input.project_id')
          .onRef('release_environment.version', '=', 'input.version'),
      )
      .select(({ fn }) => ['input.project_id', 'input.version', fn.countAll<number>().as('n')])
      .groupBy(['input.project_id', 'input.version']),
  )
  const put = rowInsert(database, 'release_environment', place, (insert) =>
    insert.onConflict((conflict) =>
      conflict.columns(['project_id', 'version', 'environment']).doUpdateSet((build) => ({
        first_event_ms: least(build.ref('release_environment.first_event_ms'), build.ref('excluded.first_event_ms')),
        last_event_ms: greatest(build.ref('release_environment.last_event_ms'), build.ref('excluded.last_event_ms')),
      })),
    ),
  )
  return {
    releaseEnvironments: async (places: readonly Place[]): Promise<void> => {
      const releaseKey = (row: Pick<Place, 'project_id' | 'version'>) => `${row.project_id} ${row.version}`
      const placeKey = (row: Omit<Place, 'first_event_ms' | 'last_event_ms'>) =>
        `${releaseKey(row)}\n${row.environment}`
      const stored = new Set((await existing.all(places)).map(placeKey))
      const growing = places.filter((row) => !stored.has(placeKey(row)))
      const releases = new Map(
        growing.map(({ project_id, version }) => [`${project_id} ${version}`, { project_id, version }]),
      )
      const numbers = new Map((await counts.all([...releases.values()])).map((row) => [releaseKey(row), Number(row.n)]))
      const fitting = growing.filter((row) => {
        const number = numbers.get(releaseKey(row)) ?? 0
        numbers.set(releaseKey(row), number + 1)
        return number < releaseEnvironmentsMax
      })
      await put.run([...places.filter((row) => stored.has(placeKey(row))), ...fitting])
    },
  }
}

function rowStatements(database: Database) {
  const { builder } = database.dialect
  return {
    attachments: rowInsert(database, 'attachment', {
      project_id: 'integer',
      event_id: 'text',
      name: 'text',
      type: 'text',
      content_type: 'text',
      bytes: 'integer',
      blob_key: 'text',
      received_ms: 'integer',
    }),
    deadLetters: rowInsert(database, 'dead_item', {
      jpos: 'integer',
      project_id: 'integer',
      key_id: 'integer',
      received_ms: 'integer',
      reason: 'text',
      bytes: 'integer',
      blob_key: 'text',
    }),
    /** Returns the ids of the dead letters that existed. */
    deleteDeadLetters: rowStatement(database, idColumn, (input) =>
      builder.deleteFrom('dead_item').where('id', 'in', builder.selectFrom(input).select('input.id')).returning('id'),
    ),
  }
}

function alertStatements(database: Database) {
  const { builder } = database.dialect
  return {
    /** Which of these organizations have an active channel. */
    withChannels: rowStatement(database, idColumn, (input) =>
      builder
        .selectFrom(input)
        .select('input.id')
        .where((build) =>
          build.exists(
            build
              .selectFrom('channel')
              .select('channel.id')
              .whereRef('channel.organization_id', '=', 'input.id')
              .where('channel.active', '=', 1),
          ),
        ),
    ),
    /** Which of these organizations have an issue rule that is switched on. */
    withIssueRules: rowStatement(database, idColumn, (input) =>
      builder
        .selectFrom(input)
        .select('input.id')
        .where((build) =>
          build.exists(
            build
              .selectFrom('alert_rule')
              .select('alert_rule.id')
              .whereRef('alert_rule.organization_id', '=', 'input.id')
              .where('alert_rule.kind', '=', 'issue')
              .where('alert_rule.active', '=', 1),
          ),
        ),
    ),
    issueTriggers: rowInsert(database, 'issue_trigger', triggerColumns),
    alertsDue: rowInsert(database, 'alert_due', {
      organization_id: 'integer',
      project_id: 'integer',
      issue_id: 'integer',
      kind: 'text',
      event_id: 'text',
      at_ms: 'integer',
      until_ms: 'integer',
    }),
    /** Which of these projects have ownership rules. */
    withOwnership: rowStatement(database, idColumn, (input) =>
      builder
        .selectFrom(input)
        .innerJoin('ownership', 'ownership.project_id', 'input.id')
        .select('input.id')
        .where('ownership.text', '!=', ''),
    ),
    ownersDue: rowInsert(
      database,
      'owner_due',
      { issue_id: 'integer', project_id: 'integer', event_id: 'text', at_ms: 'integer' },
      (insert) => insert.onConflict((conflict) => conflict.doNothing()),
    ),
  }
}

/** The row of an activity that no person caused. `data` is JSON. */
export const activityRow = (issueId: number, type: string, createdMs: number, data: string) => ({
  issue_id: issueId,
  type,
  created_ms: createdMs,
  user_id: null,
  data,
})

/** Returns the issue with this id, if it exists. */
export const issueOf = async (statements: Pick<BatchStatements, 'issues'>, id: number): Promise<IssueRow | undefined> =>
  (await statements.issues.all([{ id }]))[0]

/** Takes the next short id of a project. Throws when the project does not exist. */
export async function takeShortId(
  statements: Pick<BatchStatements, 'projects' | 'shortIds'>,
  projectId: number,
): Promise<{ shortId: string; organizationId: number }> {
  const [project] = await statements.projects.all([{ id: projectId }])
  if (!project) throw new Error(`project ${projectId} is gone`)
  const { organization_id, slug } = project
  const prefix = slug.toUpperCase()
  const [taken] = await statements.shortIds.all([{ organization_id, prefix, last: 1 }])
  if (!taken) throw new Error(`no short id of ${prefix} was taken`)
  return { shortId: `${prefix}-${taken.last}`, organizationId: organization_id }
}

/** Queues the ownership check of an issue whose events belonged to another issue. */
export async function queueOwnerCheck(
  statements: BatchStatements,
  { id, project_id }: IssueRow,
  nowMs: number,
): Promise<void> {
  if ((await statements.withOwnership.all([{ id: project_id }])).length > 0)
    await statements.ownersDue.run([{ issue_id: id, project_id, event_id: '', at_ms: nowMs }])
}
