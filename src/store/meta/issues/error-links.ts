import { type AliasedExpression, type Selectable, type SqlBool, sql } from 'kysely'
import type { EndKind, JoinReason, UnlinkedReason } from '../../../domain/error-links.ts'
import { rowInsert } from '../database/row-statement.ts'
import type { Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'
import type { EventEffect } from '../meta.ts'
/** A browser event and the server event that it hides. */
export type ErrorLink = {
  browser: { projectId: number; eventId: string; groupHash: string; receivedMs: number }
  server: { projectId: number; eventId: string; groupHash: string }
  reason: JoinReason
}

/** State of an event as an error end. `waiting`: a background job checks it within seconds. */
type ErrorEndState = { side: EndKind; waiting: boolean; alone: UnlinkedReason | '' }

/** Browser events of an issue's server errors. Not part of the issue's count, because a forger can send any number. */
type ClientEnds = { events: number; people: number; lastMs: number | null; newest: ErrorLink[] }

type LinkRunResult = {
  looked: number
  decided: number
  linked: number
  aside: number
  fault?: string
  issueIds: number[]
  more: boolean
}

export type ErrorLinkStore = {
  /**
   * Checks at most `max` open error ends and links browser events to server events (domain/error-links.ts), in one
   * transaction. `decided`: browser events that were evaluated. `issueIds`: server issues whose links changed. `aside`:
   * ends that failed and are not retried until another change reopens them. `fault`: the first error. `more`: whether
   * open ends are left.
   */
  linkErrors(max: number, nowMs: number): Promise<LinkRunResult>
  /** State of an event as an error end. Undefined if it is no end, or if newer ends displaced it. */
  errorEndState(projectId: number, eventId: string): Promise<ErrorEndState | undefined>
  /** The link of a browser event. */
  errorLinkOf(projectId: number, eventId: string): Promise<ErrorLink | undefined>
  /** Browser events that are linked to a server event, from these projects, newest first. */
  errorLinksOfEvent(
    projectId: number,
    eventId: string,
    browserProjectIds: readonly number[],
    max: number,
  ): Promise<{ events: number; newest: ErrorLink[] }>
  /** Browser events of an issue's server errors, from these projects. `newest` has at most `max`. */
  clientEndsOf(issueId: number, browserProjectIds: readonly number[], max: number): Promise<ClientEnds>
  /**
   * The server errors that the browser events of these issues hide, from these projects, the most frequent first. Issues
   * that hide none are absent.
   */
  hiddenErrorsOf(
    issueIds: readonly number[],
    serverProjectIds: readonly number[],
  ): Promise<Map<number, { id: number; shortId: string; events: number }[]>>
  /** Deletes the oldest error ends and links of each project with more than `max` ends. Returns the number of rows. */
  limitErrorEnds(max: number): Promise<number>
}

/** Maximum stored server errors per digest and batch: more of the same error add no information. */
const perDigestMax = 200

/** Creates the writer of a batch's error ends. The caller opens the transaction. A repeated event is stored once. */
export function errorEndWriter(store: Store) {
  const insert = rowInsert(
    store,
    'failure_side',
    {
      organization_id: 'integer',
      project_id: 'integer',
      event_id: 'text',
      hash: 'text',
      side: 'text',
      digest: 'text',
      sure: 'integer',
      hints: 'integer',
      trace_id: 'text',
      route: 'text',
      user_hash: 'text',
      received_ms: 'integer',
      open: 'integer',
      alone: 'text',
    },
    (ends) => ends.onConflict((conflict) => conflict.columns(['project_id', 'event_id']).doNothing()),
  )
  return async (events: readonly { effect: EventEffect; organizationId: number }[]): Promise<void> => {
    const countByDigest = new Map<string, number>()
    const rows = events.flatMap(({ effect, organizationId }) => {
      const { failure } = effect
      if (!failure) return []
      if (failure.side === 'server' && failure.digest !== '') {
        const key = `${effect.projectId} ${failure.digest}`
        const count = (countByDigest.get(key) ?? 0) + 1
        countByDigest.set(key, count)
        if (count > perDigestMax) return []
      }
      return {
        organization_id: organizationId,
        project_id: effect.projectId,
        event_id: effect.eventId,
        hash: effect.hashes[0] ?? '',
        side: failure.side,
        digest: failure.digest,
        sure: failure.sure ? 1 : 0,
        hints: failure.hints,
        trace_id: failure.traceId,
        route: failure.route,
        user_hash: failure.userHash,
        received_ms: effect.receivedMs,
        open: 1,
        alone: '',
      }
    })
    await insert.run(rows)
  }
}

const toLink = (row: Selectable<Tables['failure_link']>): ErrorLink => ({
  browser: {
    projectId: row.browser_project_id,
    eventId: row.browser_event_id,
    groupHash: row.browser_hash,
    receivedMs: row.browser_ms,
  },
  server: { projectId: row.server_project_id, eventId: row.server_event_id, groupHash: row.server_hash },
  reason: row.reason as JoinReason,
})

type ReadPart = Pick<
  ErrorLinkStore,
  'errorEndState' | 'errorLinkOf' | 'errorLinksOfEvent' | 'clientEndsOf' | 'hiddenErrorsOf'
>

const linkCount = sql<number>`count(*)`.as('events') satisfies AliasedExpression<number, 'events'>

/** The index of the links holds all columns that this reads of them. */
async function hiddenErrorsOf(
  { read, dialect: { builder } }: Store,
  issueIds: readonly number[],
  serverProjectIds: readonly number[],
): ReturnType<ErrorLinkStore['hiddenErrorsOf']> {
  if (issueIds.length === 0 || serverProjectIds.length === 0) return new Map()
  const rows = await read.all(
    builder
      .selectFrom('fingerprint as hiding')
      .innerJoin('failure_link', (join) =>
        join
          .onRef('failure_link.browser_project_id', '=', 'hiding.project_id')
          .onRef('failure_link.browser_hash', '=', 'hiding.hash'),
      )
      .innerJoin('fingerprint as hidden', (join) =>
        join
          .onRef('hidden.project_id', '=', 'failure_link.server_project_id')
          .onRef('hidden.hash', '=', 'failure_link.server_hash'),
      )
      .innerJoin('issue', 'issue.id', 'hidden.issue_id')
      .where('hiding.issue_id', 'in', issueIds)
      .where('failure_link.server_project_id', 'in', serverProjectIds)
      .select(['hiding.issue_id as of', 'issue.id', 'issue.short_id', linkCount])
      .groupBy(['hiding.issue_id', 'issue.id', 'issue.short_id'])
      .orderBy('events', 'desc')
      .orderBy('issue.id'),
  )
  return new Map(
    [...Map.groupBy(rows, (row) => row.of)].map(([of, hidden]) => [
      of,
      hidden.map((row) => ({ id: row.id, shortId: row.short_id, events: row.events })),
    ]),
  )
}

/** Implements the lookups of error links. */
export function errorLinkReadPart(store: Store): ReadPart {
  const { read } = store
  const { builder } = store.dialect
  return {
    errorEndState: async (projectId, eventId) => {
      const row = await read.get(
        builder
          .selectFrom('failure_side')
          .select(['side', 'open', 'alone'])
          .where('project_id', '=', projectId)
          .where('event_id', '=', eventId),
      )
      return row && { side: row.side as EndKind, waiting: row.open === 1, alone: row.alone as UnlinkedReason | '' }
    },
    errorLinkOf: async (projectId, eventId) => {
      const row = await read.get(
        builder
          .selectFrom('failure_link')
          .selectAll()
          .where('browser_project_id', '=', projectId)
          .where('browser_event_id', '=', eventId),
      )
      return row && toLink(row)
    },
    errorLinksOfEvent: async (projectId, eventId, browserProjectIds, max) => {
      const links = builder
        .selectFrom('failure_link')
        .where('server_project_id', '=', projectId)
        .where('server_event_id', '=', eventId)
        .where('browser_project_id', 'in', browserProjectIds)
      return {
        events: (await read.get(links.select(linkCount)))?.events ?? 0,
        newest: (await read.all(links.selectAll().orderBy('browser_ms', 'desc').limit(max))).map(toLink),
      }
    },
    clientEndsOf: async (issueId, browserProjectIds, max) => {
      // Use the current hashes of the issue, because a merge keeps its links.
      const links = builder
        .selectFrom('failure_link')
        .innerJoin('fingerprint', (join) =>
          join
            .onRef('fingerprint.project_id', '=', 'failure_link.server_project_id')
            .onRef('fingerprint.hash', '=', 'failure_link.server_hash'),
        )
        .where('fingerprint.issue_id', '=', issueId)
        .where('browser_project_id', 'in', browserProjectIds)
      const people = sql<number>`count(distinct nullif(user_hash, ''))`.as('people')
      const last = sql<number | null>`max(browser_ms)`.as('last')
      const sums = await read.get(links.select([linkCount, people, last]))
      return {
        events: sums?.events ?? 0,
        people: sums?.people ?? 0,
        lastMs: sums?.last ?? null,
        newest: (await read.all(links.selectAll('failure_link').orderBy('browser_ms', 'desc').limit(max))).map(toLink),
      }
    },
    hiddenErrorsOf: (issueIds, serverProjectIds) => hiddenErrorsOf(store, issueIds, serverProjectIds),
  }
}

/** Base queries for error ends and links. */
const endsOf = ({ dialect: { builder } }: Store) => builder.selectFrom('failure_side')
const linksOf = ({ dialect: { builder } }: Store) => builder.selectFrom('failure_link')

/** Maximum browser events that are reopened at once. */
const reopenMax = 10_000

/** The columns by which one end can affect the link of another. */
const shared = [
  { from: 'server', by: 'digest', columns: ['organization_id', 'digest'] },
  { from: undefined, by: 'trace_id', columns: ['organization_id', 'trace_id'] },
  { from: 'browser', by: 'route', columns: ['organization_id', 'user_hash', 'route'] },
] as const

/**
 * Reopens the newest browser events that share digest, trace or page with these ends and have one of these states
 * (`alone`; `''`: linked). The caller opens the transaction and deletes the ends only afterwards.
 */
export async function reopenRelated(
  store: Store,
  ends: ReturnType<typeof endsOf>,
  unlinkedReasons: readonly string[],
): Promise<void> {
  const { write } = store
  const { builder } = store.dialect
  for (const { from, by, columns } of shared) {
    const some = from ? ends.where('side', '=', from) : ends
    const reopening = some.where(by, '<>', '').select(columns).orderBy('id', 'desc').limit(reopenMax)
    const affected = endsOf(store)
      .select('id')
      .where('side', '=', sql.lit('browser'))
      .where(by, '<>', sql.lit(''))
      .where('alone', 'in', unlinkedReasons)
      .where(sql<SqlBool>`(${sql.join(columns.map((column) => sql.ref(column)))}) in ${reopening}`)
      .orderBy('id', 'desc')
      .limit(reopenMax)
    await write.run(builder.updateTable('failure_side').set({ open: 1 }).where('id', 'in', affected))
  }
}

/** Reopens the browser events of links that are about to be deleted. */
async function reopenClientEnds(store: Store, links: ReturnType<typeof linksOf>): Promise<void> {
  const { write } = store
  const { builder } = store.dialect
  const lost = links
    .innerJoin('failure_side', (join) =>
      join
        .onRef('failure_side.project_id', '=', 'failure_link.browser_project_id')
        .onRef('failure_side.event_id', '=', 'failure_link.browser_event_id'),
    )
    .select('failure_side.id')
  await write.run(builder.updateTable('failure_side').set({ open: 1 }).where('id', 'in', lost))
}

/** Stores the new group of an event after reprocessing. The caller opens the transaction. */
export async function moveErrorEnd(
  { write, dialect: { builder } }: Store,
  { failure, projectId, eventId, hashes }: EventEffect,
): Promise<void> {
  if (!failure) return
  const hash = hashes[0] ?? ''
  await write.run(
    builder
      .updateTable('failure_side')
      // Reopened, because the event can have left one of two issues, or created a second issue.
      .set({ hash, open: 1 })
      .where('project_id', '=', projectId)
      .where('event_id', '=', eventId)
      .where('hash', '<>', hash),
  )
  for (const end of ['browser', 'server'] as const)
    await write.run(
      builder
        .updateTable('failure_link')
        .set(end === 'browser' ? { browser_hash: hash } : { server_hash: hash })
        .where(`${end}_project_id`, '=', projectId)
        .where(`${end}_event_id`, '=', eventId),
    )
}

/**
 * Deletes the error ends and links of a project or of one of its issues. Reopens browser events that lose their server
 * event or the reason of their doubt. The caller opens the transaction, and removes the issue's hashes afterwards.
 */
export async function dropErrorLinks(store: Store, projectId: number, issueId?: number): Promise<void> {
  const { write } = store
  const { builder } = store.dialect
  const hashes = builder
    .selectFrom('fingerprint')
    .select('hash')
    .where('issue_id', '=', issueId ?? 0)
  const removedEnds = endsOf(store).where('project_id', '=', projectId)
  await reopenRelated(store, issueId === undefined ? removedEnds : removedEnds.where('hash', 'in', hashes), ['several'])
  const links = linksOf(store).where('server_project_id', '=', projectId)
  await reopenClientEnds(store, issueId === undefined ? links : links.where('server_hash', 'in', hashes))
  for (const end of ['browser', 'server'] as const) {
    const all = builder.deleteFrom('failure_link').where(`${end}_project_id`, '=', projectId)
    await write.run(issueId === undefined ? all : all.where(`${end}_hash`, 'in', hashes))
  }
  const ends = builder.deleteFrom('failure_side').where('project_id', '=', projectId)
  await write.run(issueId === undefined ? ends : ends.where('hash', 'in', hashes))
}

/**
 * Deletes ends received before `beforeMs`, and links with either event before it. Covers all projects without
 * `projectIds`. Reopens the remaining browser events like `dropErrorLinks`. The caller opens the transaction.
 */
export async function pruneErrorLinks(store: Store, beforeMs: number, projectIds?: readonly number[]): Promise<void> {
  const { write } = store
  const { builder } = store.dialect
  const removedEnds = endsOf(store).where('received_ms', '<', beforeMs)
  await reopenRelated(store, projectIds ? removedEnds.where('project_id', 'in', projectIds) : removedEnds, ['several'])
  const lost = linksOf(store).where('server_ms', '<', beforeMs)
  await reopenClientEnds(store, projectIds ? lost.where('server_project_id', 'in', projectIds) : lost)
  for (const end of ['browser', 'server'] as const) {
    const links = builder.deleteFrom('failure_link').where(`${end}_ms`, '<', beforeMs)
    await write.run(projectIds ? links.where(`${end}_project_id`, 'in', projectIds) : links)
  }
  const ends = builder.deleteFrom('failure_side').where('received_ms', '<', beforeMs)
  await write.run(projectIds ? ends.where('project_id', 'in', projectIds) : ends)
}

/** Implements the limit of error ends, because anybody with a DSN can send any number. */
export function errorLinkLimitPart(store: Store): Pick<ErrorLinkStore, 'limitErrorEnds'> {
  const { write } = store
  const { builder } = store.dialect
  return {
    limitErrorEnds: (max) =>
      write.transaction(async () => {
        let removed = 0
        for (const { id } of await write.all(builder.selectFrom('project').select('id'))) {
          const last = await write.get(
            endsOf(store)
              .select('received_ms')
              .where('project_id', '=', id)
              .orderBy('received_ms', 'desc')
              .offset(max)
              .limit(1),
          )
          if (!last) continue
          // Delete a link together with its browser event, else a repeated event would get a second link.
          const links = builder.deleteFrom('failure_link').where('browser_project_id', '=', id)
          removed += (await write.run(links.where('browser_ms', '<=', last.received_ms))).changes
          const ends = builder.deleteFrom('failure_side').where('project_id', '=', id)
          removed += (await write.run(ends.where('received_ms', '<=', last.received_ms))).changes
        }
        return removed
      }),
  }
}
