import type { TagCount } from '../../domain/event.ts'
import type { DetectorStore } from './detector-store.ts'
import type { Cut, DownsampleStore } from './downsample.ts'
import type { TraceDownsampleStore } from './downsample-traces.ts'
import type {
  EventFilter,
  EventPosition,
  EventRef,
  EventRow,
  EventSpan,
  GroupCount,
  GroupEvents,
  PlaceInIssue,
  Scope,
  SeenEvent,
  SetStats,
} from './events.ts'
import type { FrameKey } from './frames.ts'
import type { LogSearchStore } from './log-search.ts'
import type { MetricStore } from './metric-store.ts'
import type { MoveStore } from './moves.ts'
import type { NewestStore } from './newest.ts'
import type { OverviewStore } from './overview.ts'
import type { PerformanceStore } from './performance-store.ts'
import type { QuestionStore } from './question.ts'
import type { SkewStore } from './reading/skew.ts'
import type { ReprocessingStore, Rewrite } from './reprocess.ts'
import type { SessionStore } from './session-store.ts'
import type { SpanSearchStore } from './span-search.ts'
import type { SpanStore } from './span-store.ts'
import type { OwnerSqlStore } from './sql/owner-sql.ts'
import type { TableStore } from './tables/table-store.ts'
import type { TableName } from './tables.ts'
import type { TraceStore } from './trace-store.ts'

/** The events store: ClickHouse over its HTTP interface (embedded: the engine process on a Unix socket). */
export type EventStore = DownsampleStore &
  TraceDownsampleStore &
  ReprocessingStore &
  SkewStore &
  NewestStore &
  MoveStore &
  OverviewStore &
  PerformanceStore &
  SpanStore &
  TraceStore &
  DetectorStore &
  QuestionStore &
  SpanSearchStore &
  LogSearchStore &
  SessionStore &
  MetricStore &
  OwnerSqlStore &
  TableStore & {
    /** Creates the database and tables. Safe to repeat. Throws MishapError STORE_UNAVAILABLE. */
    migrate(): Promise<void>
    ping(): Promise<boolean>
    /** Returns the version of the engine or server. */
    version(): Promise<string>
    /** Returns the size of a server's disk in bytes; undefined for the embedded store and for object storage. */
    serverDisk(): Promise<{ total: number; used: number } | undefined>
    /** Returns the complete events with from <= jpos < to, ordered by position. */
    eventsBetween(from: number, to: number): Promise<EventRow[]>
    /** Returns at most `max` event ids received since `sinceMs`, newest first. The deduplication starts from them. */
    recentIds(sinceMs: number, max: number): Promise<{ projectId: number; eventId: string }[]>
    /** Returns events by id within projects; an empty array if there are none. */
    byEventId(projectIds: number[], eventId: string): Promise<SeenEvent[]>
    /** The newest `max` rows with a digest, a tenth of that per group; browser events, which anyone can forge, last. */
    byDigest(projectIds: number[], digest: string, max: number): Promise<SeenEvent[]>
    /** The first `max` events of a trace. `isError`: without those that detectors made. */
    byTraceId(projectIds: number[], traceId: string, max: number, isError?: boolean): Promise<EventRef[]>
    /** Counts the events of a trace that detectors made. */
    detectionsOfTrace(projectIds: number[], traceId: string): Promise<number>
    /** Returns the span details of these events. Events that no longer exist are left out. */
    spansOfEvents(refs: readonly EventRef[]): Promise<EventSpan[]>
    /** Rows of an issue (its hashes), by `order`. `from` is an exclusive position for paging and older/newer. */
    ofIssue(request: {
      projectId: number
      hashes: string[]
      scope?: Scope
      filter?: EventFilter
      order: 'newest' | 'oldest'
      from?: EventPosition
      offset?: number
      max: number
    }): Promise<SeenEvent[]>
    /** Events of a scope in this order, after `from` if set. Throws MishapError QUERY_TIMEOUT or STORE_UNAVAILABLE. */
    inScope(request: {
      scope: Scope
      filter?: EventFilter
      order: 'newest' | 'oldest'
      from?: EventPosition
      offset?: number
      max: number
    }): Promise<SeenEvent[]>
    /**
     * The event's place within its issue, by time and then id. `isLarge`: the issue has very many events and was never
     * downsampled; the rollup then counts all hours except the event's.
     */
    placeOf(projectId: number, hashes: string[], event: EventRef, isLarge?: boolean): Promise<PlaceInIssue>
    /**
     * Groups with events in the scope, ordered. Without `filter`, long scopes are read from the rollup. `withLast`
     * (default: true): otherwise `lastMs` can be 0.
     */
    groups(request: {
      withLast?: boolean
      scope: Scope
      filter?: EventFilter
      order: 'last' | 'events' | 'users'
      max: number
      /** Whether to count users. Default: only if they are the order. */
      users?: boolean
    }): Promise<GroupCount[]>
    /**
     * Groups with events that meet `filter`, by their last event, latest first. If the newest part of the scope has `max`
     * groups or more, `isCut` is true: `groups` are the first `first` of them, and `events` counts that part only.
     * Otherwise `groups` are those of the whole scope, at most `max`, with their users if they are probably few.
     */
    newestGroups(request: {
      scope: Scope
      filter: EventFilter
      first: number
      max: number
    }): Promise<{ groups: GroupCount[]; isCut: boolean }>
    /** Counts for known hashes within the scope, without users by default. */
    countsOf(
      scope: Scope,
      hashes: { projectId: number; groupHash: string }[],
      options?: { users?: boolean },
    ): Promise<(GroupCount & { firstMs: number })[]>
    /** Like `countsOf`, without the times of the first and last event, which are two columns more to read. */
    eventsOf(
      scope: Scope,
      hashes: { projectId: number; groupHash: string }[],
      options?: { users?: boolean },
    ): Promise<GroupEvents[]>
    /**
     * Stats of each set of groups, in order. Sets are disjoint; a user of several groups of a set counts once. Each
     * `startMs` is a multiple of `bucketMs`. If that is whole hours and the scope has at least 12, its ends are rounded
     * to hours. `countsLifetime`: whose lifetime users are counted, by index of the set (default: all); else they are 0.
     */
    statsOf(
      scope: Scope,
      bucketMs: number,
      sets: readonly (readonly { projectId: number; groupHash: string }[])[],
      countsLifetime?: (at: number) => boolean,
    ): Promise<SetStats[]>
    /** Events per bucket for known hashes. `startMs` is a multiple of `bucketMs`; empty buckets are left out. */
    series(
      scope: Scope,
      bucketMs: number,
      hashes: { projectId: number; groupHash: string }[],
    ): Promise<{ projectId: number; groupHash: string; startMs: number; events: number }[]>
    /** Counts matching events per bucket, from the rows. Buckets are as in `series`. */
    filteredSeries(scope: Scope, bucketMs: number, filter: EventFilter): Promise<{ startMs: number; events: number }[]>
    /**
     * Events per bucket of each set of groups, in order. Sets are disjoint. `startMs` is a multiple of `bucketMs`; empty
     * buckets are left out. Without `filter`, scopes of 12 hours or more are read from the rollup in whole hours.
     */
    volumeOf(
      scope: Scope,
      bucketMs: number,
      sets: readonly (readonly { projectId: number; groupHash: string }[])[],
      filter?: EventFilter,
    ): Promise<{ startMs: number; events: number }[][]>
    /** Counts events with a release by release, the most first. Performance issues are left out: they are no errors. */
    byRelease(scope: Scope, max: number): Promise<{ release: string; events: number }[]>
    /** Returns the distribution of each tag over an issue's newest `max` events. */
    tagsOf(request: {
      projectId: number
      hashes: string[]
      scope: Scope
      max: number
      valuesMax: number
    }): Promise<TagCount[]>
    /**
     * Counts the events of these groups within the scope and any of the spans, and how many of them have each of the
     * `key=value` pairs.
     */
    tagPairs(request: {
      projectId: number
      hashes: readonly string[]
      scope: Scope
      spans: readonly { fromMs: number; toMs: number }[]
      pairs: readonly string[]
    }): Promise<{ events: number; counts: Map<string, number> }>
    /**
     * Counts events and distinct users of each set of groups, in order. Sets are disjoint. A user of several groups of
     * a set counts once. `fromMs` is exact to the millisecond, although rollups have whole hours only.
     */
    togetherOf(
      scope: Scope,
      sets: readonly (readonly { projectId: number; groupHash: string }[])[],
    ): Promise<{ events: number; users: number }[]>
    /** Tag keys in the scope with their events, most first. An abort of `signal` (the caller left) stops the query. */
    tagKeys(scope: Scope, max: number, signal?: AbortSignal): Promise<{ key: string; events: number }[]>
    /** Values of a tag in the newest 500,000 or so events, most first; with `text` (any case) only those with it. */
    tagValues(
      scope: Scope,
      key: string,
      max: number,
      text?: string,
      signal?: AbortSignal,
    ): Promise<{ value: string; events: number }[]>
    /** Like `tagValues`, for a column. */
    columnValues(
      scope: Scope,
      column: 'platform' | 'type' | 'transaction' | 'release',
      options: { text: string; max: number; signal?: AbortSignal | undefined },
    ): Promise<{ value: string; events: number }[]>
    /** Like `tagValues`, for a field of frames in about the newest 50,000 events. */
    frameValues(
      scope: Scope,
      key: FrameKey,
      options: { text: string; max: number; signal?: AbortSignal | undefined },
    ): Promise<{ value: string; events: number }[]>
    /**
     * Deletes all rows of a project (spans and sessions too), or of these groups, from tables and rollups. Safe to
     * repeat. Nothing of them may be inserted meanwhile.
     */
    remove(projectId: number, hashes?: readonly string[]): Promise<void>
    /** Counts the events of a project (or of these groups) at or after a position. */
    eventsFrom(projectId: number, hashes: readonly string[] | undefined, jpos: number): Promise<number>
    /** Rewrites the parts with deleted rows, so that their bytes leave the disk. */
    rewrite(): Promise<void>
    /** Counts the rows of a project, or of these groups of it, in all tables that `remove` covers. */
    rowsOf(projectId: number, hashes?: readonly string[]): Promise<number>
    /** Returns the ids that are events of these groups. */
    eventsAmong(projectId: number, hashes: readonly string[], eventIds: readonly string[]): Promise<string[]>
    /** Counts the stored and the downsampled rows of each project that has any. */
    rowsByProject(): Promise<{ projectId: number; rows: number; thinned: number }[]>
    /** Returns bytes on disk and rows of each table. */
    size(): Promise<{ table: string; rows: number; bytesOnDisk: number; bytesRaw: number }[]>
    /**
     * Copies the whole database into `folder`, whose last part is `name` (letters, digits, `_`, `-`). The embedded
     * engine writes it itself, so it must be in the engine's backup folder. A server's rows are streamed, or the server
     * writes them to its configured target, and the folder names it. Nothing may change meanwhile. Returns the rows of
     * each table, as a restore has them.
     */
    backup(name: string, folder: string): Promise<Record<TableName, number>>
    /** Returns whether such a copy is still being made, even after its caller disconnected. */
    copying(): Promise<boolean>
    /**
     * Restores such a copy into a store without rows. `clear`: first deletes the rows of an interrupted restore from a
     * server. Throws VALIDATION if a server's database has rows, BACKUP_NO_TARGET if the copy is on a target that is not
     * configured here.
     */
    restore(name: string, folder: string, clear: boolean): Promise<void>
    /** Writes the rows as files that every kind of events store can restore. Nothing may change meanwhile. */
    exportRows(folder: string): Promise<Record<TableName, number>>
    /**
     * Stored state for `mishap verify`: stored and downsampled rows by group, duplicate rows, and groups and weeks of
     * each rollup that differ from their sum. `open`: an interrupted cut, seen as not begun (`counted` false) or done.
     * `rewrite`: the same for an interrupted rewrite; the rollups of its groups are not checked. `openDays`: days of
     * interrupted steps of the downsampling of traces; their rollups of spans are not checked.
     */
    check(
      open?: { step: number; counted: boolean; cut: Cut },
      rewrite?: { counted: boolean; rewrite: Rewrite },
      openDays?: readonly string[],
    ): Promise<{
      groups: { projectId: number; groupHash: string; rows: number; thinned: number; oldestReceivedMs: number }[]
      twice: number
      lastJpos: number
      rollups: Record<string, number>
    }>
    close(): Promise<void>
  }
