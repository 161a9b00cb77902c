import { type RawBuilder, type Selectable, sql } from 'kysely'
import { inChunks } from '../database/chunks.ts'
import { fromJson, type Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'
import { readCounts } from '../ingest/diagnostic-counts.ts'
import type { Activity, Issue, IssueFilter } from '../meta.ts'
import { condition } from './issue-filter.ts'

type IssueState = Pick<Issue, 'projectId' | 'shortId' | 'title' | 'status'>

/** Reads issues and their related rows. */
export type IssueReadStore = {
  /** The issue, or the issue it was merged into. */
  issueById(id: number): Promise<Issue | undefined>
  issueByShortId(organizationId: number, shortId: string): Promise<Issue | undefined>
  /** Issues of projects, newest first by `sort`. `after`: the last row of the previous page. */
  listIssues(request: {
    projectIds: number[]
    filter?: IssueFilter
    fromMs?: number
    sort: 'last' | 'first'
    after?: { valueMs: number; id: number }
    max: number
  }): Promise<Issue[]>
  countIssues(request: { projectIds: number[]; filter?: IssueFilter; fromMs?: number }): Promise<number>
  /** The issues among `ids` that match the filter. */
  issuesByIds(ids: number[], filter?: IssueFilter): Promise<Issue[]>
  /** First event (ms) of the issues among `ids` that match the filter, by id. */
  issueStarts(ids: readonly number[], filter?: IssueFilter): Promise<Map<number, number>>
  /** Levels of the issues among `ids` that match the filter, by id. */
  issueLevels(ids: readonly number[], filter?: IssueFilter): Promise<Map<number, string>>
  /** What alerting must know of each issue that still exists, by id: much less than the whole row. */
  issueStates(ids: readonly number[]): Promise<Map<number, IssueState>>
  /** Hashes of the issues that match the filter, with their issue, at most `max`, in no order. */
  groupsOfIssues(request: {
    projectIds: number[]
    filter?: IssueFilter
    fromMs?: number
    max: number
  }): Promise<{ projectId: number; groupHash: string; issueId: number; firstSeenMs: number; level: string }[]>
  /** Whether the issues that match the filter have more than `max` hashes. */
  hasMoreGroups(request: { projectIds: number[]; filter?: IssueFilter; fromMs?: number; max: number }): Promise<boolean>
  /** Issue ids by hash of the events store. Keys are `${projectId}:${hash}`. Unknown hashes are absent. */
  issueIdsOf(hashes: { projectId: number; groupHash: string }[]): Promise<Map<string, number>>
  /** All hashes of each issue. */
  hashesOf(issueIds: number[]): Promise<Map<number, string[]>>
  /** The issues among `ids` that the person has seen. An issue that regressed since then counts as unseen. */
  seenBy(userId: string, ids: number[]): Promise<Set<number>>
  activityOf(issueId: number): Promise<Activity[]>
  /** Activities of these types of the issues of projects, from `fromMs` to before `toMs`, newest first. */
  activitiesBetween(request: {
    projectIds: number[]
    types: Activity['type'][]
    fromMs: number
    toMs: number
    max: number
  }): Promise<Activity[]>
  /** The latest digests of an issue, newest first, at most 100. */
  digestsOf(issueId: number): Promise<string[]>
  /** Issues that had this digest, latest first. */
  issuesOfDigest(
    projectIds: number[],
    digest: string,
  ): Promise<{ issueId: number; projectId: number; eventId: string; lastMs: number }[]>
  /** Distinct names of environments in these projects, in alphabetical order. */
  environmentsOf(projectIds: number[]): Promise<string[]>
  /** Releases in these projects, latest event first. */
  releasesOf(
    projectIds: number[],
    max: number,
  ): Promise<{ version: string; projectId: number; firstEventMs: number; lastEventMs: number }[]>
}

type Row = Selectable<Tables['issue']>

const digestsMax = 100

export const toIssue = (row: Row): Issue => ({
  id: row.id,
  projectId: row.project_id,
  organizationId: row.organization_id,
  shortId: row.short_id,
  kind: row.kind as Issue['kind'],
  title: row.title,
  culprit: row.culprit,
  level: row.level,
  platform: row.platform,
  logger: row.logger,
  metadata: fromJson<Issue['metadata']>(row.metadata),
  status: row.status as Issue['status'],
  substatus: row.substatus as Issue['substatus'],
  statusDetails: fromJson<Issue['statusDetails']>(row.status_details),
  stateMs: row.state_ms,
  priority: row.priority as Issue['priority'],
  assigneeUserId: row.assignee_user_id,
  firstSeenMs: row.first_seen_ms,
  lastSeenMs: row.last_seen_ms,
  count: row.count,
  firstRelease: row.first_release,
  lastRelease: row.last_release,
  unhandled: row.unhandled === 1,
  comments: row.comments,
  noise: row.noise === '' ? null : (row.noise as Issue['noise']),
  diagnosticCounts: readCounts(row.sign_counts),
  rev: row.rev,
})

export const toActivity = (row: Selectable<Tables['activity']>): Activity => ({
  id: row.id,
  issueId: row.issue_id,
  type: row.type as Activity['type'],
  createdMs: row.created_ms,
  userId: row.user_id,
  data: fromJson<Record<string, unknown>>(row.data),
})

/** Ids of issues, for callers that read thousands of rows in parts. */
export type IssueIdsStore = {
  /** Ids of the issues that `listIssues` would return, in its order. */
  issueIds(request: Parameters<IssueReadStore['listIssues']>[0]): Promise<number[]>
}

type ListPart = Pick<
  IssueReadStore & IssueIdsStore,
  'issueById' | 'issueByShortId' | 'listIssues' | 'issueIds' | 'countIssues'
>
type SetPart = Pick<
  IssueReadStore,
  'issuesByIds' | 'issueStarts' | 'issueLevels' | 'issueStates' | 'groupsOfIssues' | 'hasMoreGroups'
>
type RelatedRowsReadPart = Pick<IssueReadStore, 'issueIdsOf' | 'hashesOf' | 'activityOf' | 'activitiesBetween'>
type LookupPart = Pick<IssueReadStore, 'digestsOf' | 'issuesOfDigest' | 'environmentsOf' | 'releasesOf'>

/** `since`: the column that `fromMs` is compared with. */
function matching(
  { builder }: Store['dialect'],
  request: Parameters<IssueReadStore['countIssues']>[0],
  since: 'last_seen_ms' | RawBuilder<number> = 'last_seen_ms',
) {
  let query = builder.selectFrom('issue').where('project_id', 'in', request.projectIds)
  if (request.fromMs !== undefined) query = query.where(since, '>=', request.fromMs)
  const { filter } = request
  return filter ? query.where((build) => condition(build, filter)) : query
}

/** Implements lookups of issues by their ids, and of many ids. */
function issueSetPart({ read, dialect }: Store): SetPart {
  const { builder } = dialect
  const among = (ids: readonly number[], filter: IssueFilter | undefined) => {
    const query = builder.selectFrom('issue').where('id', 'in', ids)
    return filter ? query.where((build) => condition(build, filter)) : query
  }
  return {
    issuesByIds: async (ids, filter) =>
      (await inChunks(ids, (chunkIds) => read.all(among(chunkIds, filter).selectAll()))).map(toIssue),
    issueStarts: async (ids, filter) => {
      const rows = await inChunks(ids, (chunkIds) => read.all(among(chunkIds, filter).select(['id', 'first_seen_ms'])))
      return new Map(rows.map((row) => [row.id, row.first_seen_ms]))
    },
    issueLevels: async (ids, filter) => {
      const rows = await inChunks(ids, (chunkIds) => read.all(among(chunkIds, filter).select(['id', 'level'])))
      return new Map(rows.map((row) => [row.id, row.level]))
    },
    issueStates: async (ids) => {
      const columns = ['id', 'project_id', 'short_id', 'title', 'status'] as const
      const rows = await inChunks(ids, (chunkIds) => read.all(among(chunkIds, undefined).select(columns)))
      return new Map(
        rows.map(({ id, project_id, short_id, title, status }) => [
          id,
          { projectId: project_id, shortId: short_id, title, status: status as Issue['status'] },
        ]),
      )
    },
    groupsOfIssues: async (request) => {
      if (request.projectIds.length === 0) return []
      const rows = builder
        .selectFrom(matching(dialect, request).select(['id', 'first_seen_ms', 'level']).as('found'))
        .innerJoin('fingerprint', 'fingerprint.issue_id', 'found.id')
        .select(['fingerprint.project_id', 'fingerprint.hash', 'found.id', 'found.first_seen_ms', 'found.level'])
        .limit(request.max)
      return (await read.all(rows)).map((row) => ({
        projectId: row.project_id,
        groupHash: row.hash,
        issueId: row.id,
        firstSeenMs: row.first_seen_ms,
        level: row.level,
      }))
    },
    hasMoreGroups: async (request) => {
      if (request.projectIds.length === 0) return false
      const rows = builder
        .selectFrom(matching(dialect, request).select('id').as('found'))
        .innerJoin('fingerprint', 'fingerprint.issue_id', 'found.id')
        .select('found.id')
      return (await read.get(rows.limit(1).offset(request.max))) !== undefined
    },
  }
}

type ListRequest = Parameters<IssueReadStore['listIssues']>[0]
const columnOf = ({ sort }: ListRequest) => (sort === 'last' ? 'last_seen_ms' : 'first_seen_ms')

/** Selects the ids of a page of issues, in its order. */
function pageOf(dialect: Store['dialect'], request: ListRequest) {
  const column = columnOf(request)
  // Use only the index of the sort column, and read whole issues only for the page. A plain column here would make
  // SQLite read and sort all issues since `fromMs` (9 ms of 50,000). The index stops at the end of the page.
  const since = request.sort === 'first' ? sql<number>`+last_seen_ms` : 'last_seen_ms'
  let query = matching(dialect, request, since).select('id')
  const { after } = request
  if (after)
    query = query.where((build) =>
      build.or([
        build(column, '<', after.valueMs),
        build.and([build(column, '=', after.valueMs), build('id', '<', after.id)]),
      ]),
    )
  return query.orderBy(column, 'desc').orderBy('id', 'desc').limit(request.max)
}

/** Implements reads of issues. */
export function issueListPart(store: Store): ListPart & SetPart {
  const { read, dialect } = store
  const { builder } = dialect
  const mergedAway = () => builder.selectFrom('moved_issue').select('issue_id')
  const byId = (id: number) => read.get(builder.selectFrom('issue').selectAll().where('id', '=', id))

  return {
    ...issueSetPart(store),
    issueById: async (id) => {
      const row = (await byId(id)) ?? (await byId((await read.get(mergedAway().where('id', '=', id)))?.issue_id ?? 0))
      return row && toIssue(row)
    },
    issueByShortId: async (organizationId, shortId) => {
      const [name, own] = [shortId.toUpperCase(), builder.selectFrom('issue').selectAll()]
      const row =
        (await read.get(own.where('organization_id', '=', organizationId).where('short_id', '=', name))) ??
        (await byId(
          (
            await read.get(mergedAway().where('organization_id', '=', organizationId).where('short_id', '=', name))
          )?.issue_id ?? 0,
        ))
      return row && toIssue(row)
    },
    listIssues: async (request) => {
      if (request.projectIds.length === 0) return []
      const column = columnOf(request)
      const rows = builder.selectFrom('issue').selectAll().where('id', 'in', pageOf(dialect, request))
      return (await read.all(rows.orderBy(column, 'desc').orderBy('id', 'desc'))).map(toIssue)
    },
    issueIds: async (request) =>
      request.projectIds.length === 0 ? [] : (await read.all(pageOf(dialect, request))).map((row) => row.id),
    countIssues: async (request) => {
      if (request.projectIds.length === 0) return 0
      return (await read.get(matching(dialect, request).select((build) => build.fn.countAll<number>().as('n'))))?.n ?? 0
    },
  }
}

/** Implements reads of rows that are related to issues. */
export function relatedRowsPart({ read, dialect: { builder } }: Store): RelatedRowsReadPart {
  const hashes = read.prepared<{ id: number }, { hash: string }>((slot) =>
    builder.selectFrom('fingerprint').select('hash').where('issue_id', '=', slot('id')).orderBy('hash'),
  )

  return {
    // A statement for each of 10,000 hashes took 55 ms, one for 500 takes 19 in all.
    issueIdsOf: async (requested) => {
      const found = new Map<string, number>()
      for (const [projectId, groups] of Map.groupBy(requested, (item) => item.projectId)) {
        const of = builder.selectFrom('fingerprint').select(['hash', 'issue_id']).where('project_id', '=', projectId)
        const hashesOfProject = [...new Set(groups.map((item) => item.groupHash))]
        const rows = await inChunks(hashesOfProject, (chunk) => read.all(of.where('hash', 'in', chunk)))
        for (const row of rows) found.set(`${projectId}:${row.hash}`, row.issue_id)
      }
      return found
    },
    hashesOf: async (issueIds) =>
      new Map(await Array.fromAsync(issueIds, async (id) => [id, (await hashes.all({ id })).map((row) => row.hash)])),
    activityOf: async (issueId) =>
      (await read.all(builder.selectFrom('activity').selectAll().where('issue_id', '=', issueId).orderBy('id'))).map(
        toActivity,
      ),
    activitiesBetween: async ({ projectIds, types, fromMs, toMs, max }) => {
      if (projectIds.length === 0 || types.length === 0) return []
      const found = builder
        .selectFrom('activity')
        .innerJoin('issue', 'issue.id', 'activity.issue_id')
        .selectAll('activity')
        .where('issue.project_id', 'in', projectIds)
        .where('activity.type', 'in', types)
        .where('activity.created_ms', '>=', fromMs)
        .where('activity.created_ms', '<', toMs)
        .orderBy('activity.created_ms', 'desc')
        .orderBy('activity.id', 'desc')
      return (await read.all(found.limit(max))).map(toActivity)
    },
  }
}

/** Implements reads of digests, environments and releases from events. */
export function lookupPart({ read, dialect: { builder } }: Store): LookupPart {
  return {
    digestsOf: async (issueId) =>
      (
        await read.all(
          builder
            .selectFrom('digest')
            .select('digest')
            .where('issue_id', '=', issueId)
            .orderBy('last_ms', 'desc')
            .limit(digestsMax),
        )
      ).map((row) => row.digest),
    issuesOfDigest: async (projectIds, digest) => {
      if (projectIds.length === 0) return []
      return (
        await read.all(
          builder
            .selectFrom('digest')
            .selectAll()
            .where('digest', '=', digest)
            .where('project_id', 'in', projectIds)
            .orderBy('last_ms', 'desc')
            .limit(digestsMax),
        )
      ).map((row) => ({
        issueId: row.issue_id,
        projectId: row.project_id,
        eventId: row.event_id,
        lastMs: row.last_ms,
      }))
    },
    environmentsOf: async (projectIds) => {
      if (projectIds.length === 0) return []
      return (
        await read.all(
          builder
            .selectFrom('environment')
            .select('name')
            .distinct()
            .where('project_id', 'in', projectIds)
            .orderBy('name'),
        )
      ).map((row) => row.name)
    },
    releasesOf: async (projectIds, max) => {
      if (projectIds.length === 0) return []
      return (
        await read.all(
          builder
            .selectFrom('release')
            .selectAll()
            .where('project_id', 'in', projectIds)
            .orderBy('last_event_ms', 'desc')
            .limit(max),
        )
      ).map((row) => ({
        version: row.version,
        projectId: row.project_id,
        firstEventMs: row.first_event_ms,
        lastEventMs: row.last_event_ms,
      }))
    },
  }
}

/** Implements the lookup of issues that a person has seen. */
export function viewedPart({ read, dialect: { builder } }: Store): Pick<IssueReadStore, 'seenBy'> {
  return {
    seenBy: async (userId, ids) => {
      const found = await inChunks(ids, (chunk) =>
        read.all(
          builder
            .selectFrom('issue_seen')
            .select('issue_id')
            .where('user_id', '=', userId)
            .where('issue_id', 'in', chunk)
            .where((build) =>
              build.not(
                build.exists(
                  build
                    .selectFrom('activity')
                    .select('activity.id')
                    .whereRef('activity.issue_id', '=', 'issue_seen.issue_id')
                    .where('activity.type', '=', 'set_regression')
                    .whereRef('activity.created_ms', '>', 'issue_seen.at_ms'),
                ),
              ),
            ),
        ),
      )
      return new Set(found.map((row) => row.issue_id))
    },
  }
}
