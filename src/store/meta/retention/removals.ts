import type { Selectable } from 'kysely'
import { MishapError } from '../../../base/errors.ts'
import { dropBundlesOf } from '../artifacts/artifact-changes.ts'
import { insertedId, type Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'
import { dropErrorLinks } from '../issues/error-links.ts'
import { bumpKeysVersion } from '../projects/projects.ts'
import { dropOrphanReleases } from '../releases/releases.ts'

/**
 * `organization`: with all data, projects first. `project`: with all data. `issue`: with its events. `discard`: the
 * same, and later events of its fingerprint are filtered.
 */
type RemovalKind = 'organization' | 'project' | 'issue' | 'discard'
/** Removals within one project. */
export type ProjectRemovalKind = Exclude<RemovalKind, 'organization'>

/**
 * Progress of a removal through the stores. `asked`: nothing is deleted. `blobs`: events and rows are deleted, and
 * files are being deleted. `proof`: all stores are checked for leftovers. `done`.
 */
type RemovalStage = 'asked' | 'blobs' | 'proof' | 'done'

export type Removal = {
  id: number
  organizationId: number
  /** 0 for an organization. */
  projectId: number
  issueId: number | null
  kind: RemovalKind
  /** Name of the organization or the project, or short id of the issue. */
  title: string
  userId: string | null
  createdMs: number
  endedMs: number | null
  stage: RemovalStage
  /** Number of deleted events and files. */
  events: number
  blobs: number
  /** Error of the last attempt; '' for none. */
  error: string
}

export type RemovalStore = {
  /**
   * Stores a removal. Returns an open one of the same thing unchanged. Keys of a project stop working at once, so that
   * ingest accepts nothing more. Throws NOT_FOUND.
   */
  requestRemoval(value: {
    kind: ProjectRemovalKind
    projectId: number
    issueId: number | null
    userId: string | null
  }): Promise<Removal>
  openRemovals(): Promise<Removal[]>
  removalById(id: number): Promise<Removal | undefined>
  /** Newest first. */
  removalsOf(organizationId: number, max: number): Promise<Removal[]>
  /** Ids of events with attachments in a project, in order, after `after`. */
  attachedEventIds(projectId: number, after: string, max: number): Promise<string[]>
  /** Deletes the attachments of these events and queues their blobs for deletion. */
  doomAttachments(removalId: number, projectId: number, eventIds: string[]): Promise<void>
  /**
   * Deletes the rows of the target and all related rows in one transaction; for a project also attachments, dead
   * letters and feedback, whose blobs are queued for deletion. Notes their ledger counts as removed. Call it while no
   * batch is open and after the events are deleted. `events`: number of these events.
   */
  removeRows(removalId: number, events: number): Promise<void>
  /** Blobs to delete, at most `max`. */
  doomedBlobs(removalId: number, max: number): Promise<string[]>
  forgetDoomed(keys: string[]): Promise<void>
  setRemoval(
    id: number,
    change: { stage?: RemovalStage; blobs?: number; error?: string; endedMs?: number },
  ): Promise<void>
  /** Number of events that the ledger counts as stored and people deleted, by project. */
  removedEvents(): Promise<Map<number, number>>
  /** Discarded fingerprints, whose events are filtered. */
  discardedOf(projectId: number): Promise<Discarded[]>
  /** Removes all fingerprints that were discarded with one issue, so that their events create issues again. */
  undiscard(projectId: number, shortId: string): Promise<void>
}

/** A discarded fingerprint and its issue. `title` and `culprit`: '' when unknown. */
type Discarded = {
  hash: string
  shortId: string
  title: string
  culprit: string
  userId: string | null
  createdMs: number
}

/** Converts a row to a removal. */
export const toRemoval = (row: Selectable<Tables['removal']>): Removal => ({
  id: row.id,
  organizationId: row.organization_id,
  projectId: row.project_id,
  issueId: row.issue_id,
  kind: row.kind as RemovalKind,
  title: row.title,
  userId: row.user_id,
  createdMs: row.created_ms,
  endedMs: row.ended_ms,
  stage: row.stage as RemovalStage,
  events: row.events,
  blobs: row.blobs,
  error: row.error,
})

type RequestPart = Pick<
  RemovalStore,
  | 'requestRemoval'
  | 'openRemovals'
  | 'removalById'
  | 'removalsOf'
  | 'setRemoval'
  | 'removedEvents'
  | 'discardedOf'
  | 'undiscard'
>

/** Stores a removal, or returns the open one of the same thing. The caller opens the transaction. */
async function requestRemoval(
  store: Store,
  { kind, projectId, issueId, userId }: Parameters<RemovalStore['requestRemoval']>[0],
): Promise<Removal> {
  const { write, clock } = store
  const { builder } = store.dialect
  const project = await write.get(builder.selectFrom('project').selectAll().where('id', '=', projectId))
  const issue =
    issueId === null ? undefined : await write.get(builder.selectFrom('issue').selectAll().where('id', '=', issueId))
  if (!project || (issueId !== null && issue?.project_id !== projectId)) throw new MishapError('NOT_FOUND')
  const same = (
    await write.all(
      builder.selectFrom('removal').selectAll().where('ended_ms', 'is', null).where('project_id', '=', projectId),
    )
  ).find((row) => row.kind === 'project' || row.issue_id === issueId)
  if (same) return toRemoval(same)
  const row = {
    organization_id: project.organization_id,
    project_id: projectId,
    issue_id: issueId,
    kind,
    title: issue ? issue.short_id : project.name,
    user_id: userId,
    created_ms: clock.now(),
    ended_ms: null,
    stage: 'asked',
    events: 0,
    blobs: 0,
    error: '',
  }
  const lastId = await insertedId(write, builder.insertInto('removal').values(row))
  if (kind === 'project') {
    await write.run(builder.deleteFrom('project_key').where('project_id', '=', projectId))
    await bumpKeysVersion(store)
  }
  return toRemoval({ id: lastId, ...row })
}

/** Implements requests and lookups of removals. */
export function removalPart(store: Store): RequestPart {
  const { write, read } = store
  const { builder } = store.dialect
  const all = () => builder.selectFrom('removal').selectAll()
  return {
    requestRemoval: (value) => write.transaction(() => requestRemoval(store, value)),
    openRemovals: async () => (await write.all(all().where('ended_ms', 'is', null).orderBy('id'))).map(toRemoval),
    removalById: async (id) => {
      const row = await read.get(all().where('id', '=', id))
      return row && toRemoval(row)
    },
    removalsOf: async (organizationId, max) =>
      (await read.all(all().where('organization_id', '=', organizationId).orderBy('id', 'desc').limit(max))).map(
        toRemoval,
      ),
    setRemoval: async (id, { stage, blobs, error, endedMs }) => {
      const row = {
        ...(stage === undefined ? {} : { stage }),
        ...(blobs === undefined ? {} : { blobs }),
        ...(error === undefined ? {} : { error }),
        ...(endedMs === undefined ? {} : { ended_ms: endedMs }),
      }
      await write.run(builder.updateTable('removal').set(row).where('id', '=', id))
    },
    removedEvents: async () =>
      new Map(
        (await read.all(builder.selectFrom('removed_events').selectAll())).map((row) => [row.project_id, row.quantity]),
      ),
    discardedOf: async (projectId) =>
      (
        await read.all(
          builder.selectFrom('discarded').selectAll().where('project_id', '=', projectId).orderBy('created_ms'),
        )
      ).map((row) => ({
        hash: row.hash,
        shortId: row.title,
        title: row.issue_title,
        culprit: row.issue_culprit,
        userId: row.user_id,
        createdMs: row.created_ms,
      })),
    undiscard: async (projectId, shortId) => {
      await write.run(builder.deleteFrom('discarded').where('project_id', '=', projectId).where('title', '=', shortId))
    },
  }
}

/** Maximum rows per statement. */
const chunk = 500

type FilePart = Pick<RemovalStore, 'attachedEventIds' | 'doomAttachments' | 'doomedBlobs' | 'forgetDoomed'>
type Row = Selectable<Tables['removal']>

/** Queues blobs for deletion. The caller opens the transaction. */
async function queueBlobs(
  { write, dialect: { builder } }: Store,
  removalId: number,
  keys: readonly string[],
): Promise<void> {
  for (const key of keys)
    if (key !== '')
      await write.run(
        builder
          .insertInto('doomed_blob')
          .values({ blob_key: key, removal_id: removalId })
          .onConflict((conflict) => conflict.doNothing()),
      )
}

/** Deletes the attachments of these events and queues their blobs. The caller opens the transaction. */
async function queueAttachments(
  store: Store,
  removalId: number,
  projectId: number,
  eventIds: readonly string[],
): Promise<void> {
  const { write } = store
  const { builder } = store.dialect
  for (let start = 0; start < eventIds.length; start += chunk) {
    const ids = eventIds.slice(start, start + chunk)
    const own = builder.selectFrom('attachment').where('project_id', '=', projectId).where('event_id', 'in', ids)
    const rows = await write.all(own.select('blob_key').distinct())
    await queueBlobs(
      store,
      removalId,
      rows.map((row) => row.blob_key),
    )
    await write.run(builder.deleteFrom('attachment').where('project_id', '=', projectId).where('event_id', 'in', ids))
  }
}

/** Implements the deletion of files. */
export function removalFilePart(store: Store): FilePart {
  const { write } = store
  const { builder } = store.dialect
  return {
    attachedEventIds: async (projectId, after, max) =>
      (
        await write.all(
          builder
            .selectFrom('attachment')
            .select('event_id')
            .distinct()
            .where('project_id', '=', projectId)
            .where('event_id', '>', after)
            .orderBy('event_id')
            .limit(max),
        )
      ).map((row) => row.event_id),
    doomAttachments: (removalId, projectId, eventIds) =>
      write.transaction(() => queueAttachments(store, removalId, projectId, eventIds)),
    doomedBlobs: async (removalId, max) =>
      (
        await write.all(
          builder.selectFrom('doomed_blob').select('blob_key').where('removal_id', '=', removalId).limit(max),
        )
      ).map((row) => row.blob_key),
    forgetDoomed: async (keys) => {
      for (let start = 0; start < keys.length; start += chunk)
        await write.run(builder.deleteFrom('doomed_blob').where('blob_key', 'in', keys.slice(start, start + chunk)))
    },
  }
}

async function removeProject(
  store: Store,
  { id, project_id: projectId, organization_id: organizationId }: Row,
): Promise<void> {
  const { write } = store
  const { builder } = store.dialect
  for (const table of ['attachment', 'dead_item'] as const) {
    const rows = await write.all(
      builder.selectFrom(table).select('blob_key').distinct().where('project_id', '=', projectId),
    )
    await queueBlobs(
      store,
      id,
      rows.map((row) => row.blob_key),
    )
    await write.run(builder.deleteFrom(table).where('project_id', '=', projectId))
  }
  await queueBlobs(store, id, await dropBundlesOf(store, projectId))
  await dropErrorLinks(store, projectId)
  await write.run(builder.deleteFrom('project').where('id', '=', projectId))
  await dropOrphanReleases(store, organizationId)
  await bumpKeysVersion(store)
}

async function discard(store: Store, removal: Row, issueId: number): Promise<void> {
  const { write } = store
  const { builder } = store.dialect
  const issue = await write.get(builder.selectFrom('issue').select(['title', 'culprit']).where('id', '=', issueId))
  for (const { hash } of await write.all(
    builder.selectFrom('fingerprint').select('hash').where('issue_id', '=', issueId),
  ))
    await write.run(
      builder
        .insertInto('discarded')
        .values({
          project_id: removal.project_id,
          hash,
          title: removal.title,
          issue_title: issue?.title ?? '',
          issue_culprit: issue?.culprit ?? '',
          user_id: removal.user_id,
          created_ms: store.clock.now(),
        })
        .onConflict((conflict) => conflict.doNothing()),
    )
}

async function removeIssue(store: Store, removal: Row, issueId: number): Promise<void> {
  const { write } = store
  const { builder } = store.dialect
  const feedback = await write.all(builder.selectFrom('feedback').select('feedback_id').where('issue_id', '=', issueId))
  await queueAttachments(
    store,
    removal.id,
    removal.project_id,
    feedback.map((row) => row.feedback_id),
  )
  if (removal.kind === 'discard') await discard(store, removal, issueId)
  // Otherwise, a new issue with such a hash would get a wrong merge source and wrong noise counts.
  const hashes = builder.selectFrom('fingerprint').select('hash').where('issue_id', '=', issueId)
  for (const table of ['merged_hash', 'hash_sign'] as const)
    await write.run(builder.deleteFrom(table).where('project_id', '=', removal.project_id).where('hash', 'in', hashes))
  await dropErrorLinks(store, removal.project_id, issueId)
  await write.run(builder.deleteFrom('issue').where('id', '=', issueId))
}

/** Stores how many events the ledger counts for the deleted rows. */
async function recordRemoved({ write, dialect: { builder } }: Store, removal: Row): Promise<void> {
  const issues = builder.selectFrom('issue').where('project_id', '=', removal.project_id)
  const own = removal.issue_id === null ? issues : issues.where('id', '=', removal.issue_id)
  const quantity = (await write.all(own.select('count'))).reduce((sum, row) => sum + row.count, 0)
  await write.run(
    builder
      .insertInto('removed_events')
      .values({ project_id: removal.project_id, quantity })
      .onConflict((conflict) =>
        conflict
          .column('project_id')
          .doUpdateSet((build) => ({ quantity: build('removed_events.quantity', '+', quantity) })),
      ),
  )
}

/** Implements the transaction that deletes rows. */
export function removalRowPart(store: Store): Pick<RemovalStore, 'removeRows'> {
  const { write } = store
  const { builder } = store.dialect
  return {
    removeRows: (removalId, events) =>
      write.transaction(async () => {
        const removal = await write.get(builder.selectFrom('removal').selectAll().where('id', '=', removalId))
        if (removal?.stage !== 'asked') return
        await recordRemoved(store, removal)
        if (removal.issue_id === null) await removeProject(store, removal)
        else await removeIssue(store, removal, removal.issue_id)
        await write.run(builder.updateTable('removal').set({ stage: 'blobs', events }).where('id', '=', removalId))
      }),
  }
}
