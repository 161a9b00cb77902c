import type { OnConflictBuilder } from 'kysely'
import type { Connection } from '../database/connection.ts'
import type { Dialect } from '../database/dialect.ts'
import { idOfRow } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'
import { type IssueRow, textColumns } from '../issues/issue-state.ts'
import type { AttachmentRow, DeadLetter } from '../meta.ts'
import { withVerdict } from './diagnostic-counts.ts'

/** When two events of an issue have the same digest, the later one is stored. */
export const laterDigest = (conflict: OnConflictBuilder<Tables, 'digest'>) =>
  conflict
    .columns(['digest', 'project_id', 'issue_id'])
    .doUpdateSet((build) => ({
      event_id: build.ref('excluded.event_id'),
      last_ms: build.ref('excluded.last_ms'),
    }))
    .whereRef('digest.last_ms', '<=', 'excluded.last_ms')

type Span = { projectId: number; organizationId: number; name: string; firstMs: number; lastMs: number }

const issueColumns = [
  'organization_id',
  'project_id',
  'short_id',
  'kind',
  ...textColumns,
  'status',
  'substatus',
  'status_details',
  'resolved_ms',
  'assignee_user_id',
  'first_seen_ms',
  'last_seen_ms',
  'count',
  'first_release',
  'last_release',
  'unhandled',
  'comments',
  'rev',
  'state_ms',
  'due_ms',
  'awaits_release',
  'ten_ms',
  'ten_counts',
  'hour_ms',
  'hour_count',
  'priority',
  'sign_counts',
  'noise',
] as const satisfies (keyof IssueRow)[]

/** All statements of a batch commit. They are prepared once, because the commit runs thousands of them per second. */
export type BatchStatements = ReturnType<typeof batchStatements>

export function batchStatements(write: Connection, dialect: Dialect) {
  return {
    ...issueStatements(write, dialect),
    ...spanStatements(write, dialect),
    ...placeStatements(write, dialect),
    ...rowStatements(write, dialect),
    ...alertStatements(write, dialect),
    ...stateStatements(write, dialect),
  }
}

function stateStatements(write: Connection, { builder }: Dialect) {
  type Named = { projectId: number; version: string }
  return {
    awaiting: write.prepared<{ projectId: number }, { id: number; status_details: string }>((slot) =>
      builder
        .selectFrom('issue')
        .select(['id', 'status_details'])
        .where('project_id', '=', slot('projectId'))
        .where('awaits_release', '=', 1)
        .orderBy('id'),
    ),
    namedRelease: write.prepared<Named, { ms: number }>((slot) =>
      builder
        .selectFrom('release')
        .select('first_event_ms as ms')
        .where('project_id', '=', slot('projectId'))
        .where('version', '=', slot('version')),
    ),
    madeRelease: write.prepared<Named, { ms: number }>((slot) =>
      builder
        .selectFrom('made_release')
        .select('created_ms as ms')
        .where('project_id', '=', slot('projectId'))
        .where('version', '=', slot('version')),
    ),
    ownership: write.prepared<{ projectId: number }, { project_id: number }>((slot) =>
      builder
        .selectFrom('ownership')
        .select('project_id')
        .where('project_id', '=', slot('projectId'))
        .where('text', '!=', ''),
    ),
    ownerDue: write.prepared<{ issueId: number; projectId: number; eventId: string; atMs: number }, unknown>((slot) =>
      builder
        .insertInto('owner_due')
        .values({
          issue_id: slot('issueId'),
          project_id: slot('projectId'),
          event_id: slot('eventId'),
          at_ms: slot('atMs'),
        })
        .onConflict((conflict) => conflict.doNothing()),
    ),
    forecast: write.prepared<{ issueId: number }, { limits: string }>((slot) =>
      builder.selectFrom('issue_forecast').select('limits').where('issue_id', '=', slot('issueId')),
    ),
  }
}

function issueStatements(write: Connection, { builder }: Dialect) {
  type NewIssue = Omit<IssueRow, 'id'>
  const columns = (slot: (name: (typeof issueColumns)[number]) => unknown) =>
    Object.fromEntries(issueColumns.map((name) => [name, slot(name)])) as unknown as NewIssue
  const insert = write.prepared<NewIssue, { id: number }>((slot) =>
    builder.insertInto('issue').values(columns(slot)).returning('id'),
  )
  const update = write.prepared<IssueRow, unknown>((slot) =>
    builder.updateTable('issue').set(columns(slot)).where('id', '=', slot('id')),
  )
  return {
    project: write.prepared<
      { id: number },
      { id: number; organization_id: number; slug: string; first_event_ms: number | null }
    >((slot) =>
      builder
        .selectFrom('project')
        .select(['id', 'organization_id', 'slug', 'first_event_ms'])
        .where('id', '=', slot('id')),
    ),
    fingerprint: write.prepared<{ projectId: number; hash: string }, { issue_id: number }>((slot) =>
      builder
        .selectFrom('fingerprint')
        .select('issue_id')
        .where('project_id', '=', slot('projectId'))
        .where('hash', '=', slot('hash')),
    ),
    attachHash: write.prepared<{ projectId: number; hash: string; issueId: number }, unknown>((slot) =>
      builder
        .insertInto('fingerprint')
        .values({ project_id: slot('projectId'), hash: slot('hash'), issue_id: slot('issueId') })
        .onConflict((conflict) => conflict.doNothing()),
    ),
    shortId: write.prepared<{ organizationId: number; prefix: string }, { last: number }>((slot) =>
      builder
        .insertInto('short_id')
        .values({ organization_id: slot('organizationId'), prefix: slot('prefix'), last: 1 })
        .onConflict((conflict) =>
          conflict
            .columns(['organization_id', 'prefix'])
            .doUpdateSet((build) => ({ last: build('short_id.last', '+', 1) })),
        )
        .returning('last'),
    ),
    issue: write.prepared<{ id: number }, IssueRow>((slot) =>
      builder.selectFrom('issue').selectAll().where('id', '=', slot('id')),
    ),
    insertIssue: async (row: NewIssue) => idOfRow(await insert.get(withVerdict(row))),
    updateIssue: { run: (row: IssueRow) => update.run(withVerdict(row)) },
    activity: write.prepared<{ issueId: number; type: string; createdMs: number; data: string }, unknown>((slot) =>
      builder.insertInto('activity').values({
        issue_id: slot('issueId'),
        type: slot('type'),
        created_ms: slot('createdMs'),
        user_id: null,
        data: slot('data'),
      }),
    ),
  }
}

function spanStatements(write: Connection, { builder, greatest, least }: Dialect) {
  return {
    release: write.prepared<Span, unknown>((slot) =>
      builder
        .insertInto('release')
        .values({
          organization_id: slot('organizationId'),
          project_id: slot('projectId'),
          version: slot('name'),
          first_event_ms: slot('firstMs'),
          last_event_ms: slot('lastMs'),
        })
        .onConflict((conflict) =>
          conflict.columns(['organization_id', 'version', 'project_id']).doUpdateSet((build) => ({
            first_event_ms: least(build.ref('release.first_event_ms'), build.ref('excluded.first_event_ms')),
            last_event_ms: greatest(build.ref('release.last_event_ms'), build.ref('excluded.last_event_ms')),
          })),
        ),
    ),
    environment: write.prepared<Span, unknown>((slot) =>
      builder
        .insertInto('environment')
        .values({
          project_id: slot('projectId'),
          name: slot('name'),
          first_seen_ms: slot('firstMs'),
          last_seen_ms: slot('lastMs'),
        })
        .onConflict((conflict) =>
          conflict.columns(['project_id', 'name']).doUpdateSet((build) => ({
            first_seen_ms: least(build.ref('environment.first_seen_ms'), build.ref('excluded.first_seen_ms')),
            last_seen_ms: greatest(build.ref('environment.last_seen_ms'), build.ref('excluded.last_seen_ms')),
          })),
        ),
    ),
    digest: write.prepared<
      { projectId: number; digest: string; issueId: number; eventId: string; lastMs: number },
      unknown
    >((slot) =>
      builder
        .insertInto('digest')
        .values({
          project_id: slot('projectId'),
          digest: slot('digest'),
          issue_id: slot('issueId'),
          event_id: slot('eventId'),
          last_ms: slot('lastMs'),
        })
        .onConflict(laterDigest),
    ),
  }
}

/** Maximum stored environments per release, because anybody with a key can send a new one in each event. */
export const releaseEnvironmentsMax = 100
type Place = Span & { version: string; environment: string }

function placeStatements(write: Connection, { builder, greatest, least }: Dialect) {
  const existing = write.prepared<Place, { version: string }>((slot) =>
    builder
      .selectFrom('release_environment')
      .select('version')
      .where('project_id', '=', slot('projectId'))
      .where('version', '=', slot('version'))
      .where('environment', '=', slot('environment')),
  )
  const count = write.prepared<Place, { n: number }>((slot) =>
    builder
      .selectFrom('release_environment')
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .where('project_id', '=', slot('projectId'))
      .where('version', '=', slot('version')),
  )
  const put = write.prepared<Place, unknown>((slot) =>
    builder
      .insertInto('release_environment')
      .values({
        project_id: slot('projectId'),
        version: slot('version'),
        environment: slot('environment'),
        first_event_ms: slot('firstMs'),
        last_event_ms: slot('lastMs'),
      })
      .onConflict((conflict) =>
        conflict.columns(['project_id', 'version', 'environment']).doUpdateSet((build) => ({
          first_event_ms: least(build.ref('release_environment.first_event_ms'), build.ref('excluded.first_event_ms')),
          last_event_ms: greatest(build.ref('release_environment.last_event_ms'), build.ref('excluded.last_event_ms')),
        })),
      ),
  )
  return {
    releaseEnvironment: async (row: Place) => {
      if ((await existing.get(row)) || ((await count.get(row))?.n ?? 0) < releaseEnvironmentsMax) await put.run(row)
    },
  }
}

function rowStatements(write: Connection, { builder }: Dialect) {
  return {
    firstEvent: write.prepared<{ id: number; ms: number }, unknown>((slot) =>
      builder
        .updateTable('project')
        .set({ first_event_ms: slot('ms') })
        .where('id', '=', slot('id'))
        .where('first_event_ms', 'is', null),
    ),
    keyUsed: write.prepared<{ id: number; ms: number }, unknown>((slot) =>
      builder
        .updateTable('project_key')
        .set({ last_used_ms: slot('ms') })
        .where('id', '=', slot('id')),
    ),
    attachment: write.prepared<AttachmentRow, unknown>((slot) =>
      builder.insertInto('attachment').values({
        project_id: slot('projectId'),
        event_id: slot('eventId'),
        name: slot('name'),
        type: slot('type'),
        content_type: slot('contentType'),
        bytes: slot('bytes'),
        blob_key: slot('blobKey'),
        received_ms: slot('receivedMs'),
      }),
    ),
    deleteDeadLetter: write.prepared<{ id: number }, unknown>((slot) =>
      builder.deleteFrom('dead_item').where('id', '=', slot('id')),
    ),
    insertDeadLetter: write.prepared<DeadLetter, unknown>((slot) =>
      builder.insertInto('dead_item').values({
        jpos: slot('jpos'),
        project_id: slot('projectId'),
        key_id: slot('keyId'),
        received_ms: slot('receivedMs'),
        reason: slot('reason'),
        bytes: slot('bytes'),
        blob_key: slot('blobKey'),
      }),
    ),
  }
}

function alertStatements(write: Connection, { builder }: Dialect) {
  type Due = Record<'organizationId' | 'projectId' | 'issueId' | 'atMs' | 'untilMs', number> &
    Record<'kind' | 'eventId', string>
  return {
    anyChannel: write.prepared<{ organizationId: number }, { id: number }>((slot) =>
      builder
        .selectFrom('channel')
        .select('id')
        .where('organization_id', '=', slot('organizationId'))
        .where('active', '=', 1)
        .limit(1),
    ),
    alertDue: write.prepared<Due, unknown>((slot) =>
      builder.insertInto('alert_due').values({
        organization_id: slot('organizationId'),
        project_id: slot('projectId'),
        issue_id: slot('issueId'),
        kind: slot('kind'),
        event_id: slot('eventId'),
        at_ms: slot('atMs'),
        until_ms: slot('untilMs'),
      }),
    ),
  }
}

/** Queues the ownership check of an issue whose events belonged to another issue. */
export async function queueOwnerCheck(
  statements: BatchStatements,
  { id, project_id }: IssueRow,
  nowMs: number,
): Promise<void> {
  if (await statements.ownership.get({ projectId: project_id }))
    await statements.ownerDue.run({ issueId: id, projectId: project_id, eventId: '', atMs: nowMs })
}
