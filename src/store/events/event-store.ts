import type { TagCount } from '../../domain/event.ts'
import type { Cut, ThinStore } from './downsample.ts'
import type {
  EventFilter,
  EventPosition,
  EventRef,
  EventRow,
  EventSpan,
  GroupCount,
  PlaceInIssue,
  Scope,
  SeenEvent,
  SetFigures,
} from './events.ts'
import type { FrameKey } from './frames.ts'
import type { NewestStore } from './newest.ts'
import type { ReprocessingStore, Rewrite } from './reprocess.ts'
import type { SessionStore } from './session-store.ts'
import type { SkewStore } from './skew.ts'
import type { SpanStore } from './span-store.ts'
import type { TableStore } from './table-store.ts'
/** The events store: ClickHouse over its HTTP interface (embedded: the engine process on a Unix socket). */
export type EventStore = ThinStore &
  ReprocessingStore &
  SkewStore &
  NewestStore &
  SpanStore &
  SessionStore &
  TableStore & {
    /** Makes database and tables; safe to repeat. Throws MishapError STORE_UNAVAILABLE. */
    migrate(): Promise<void>
    ping(): Promise<boolean>
    /** The events with from <= jpos < to, whole, in the order of their positions. */
    eventsBetween(from: number, to: number): Promise<EventRow[]>
    /** Event ids received since `sinceMs`, newest first, at most `max`: the memory of what counts as duplicate. */
    recentIds(sinceMs: number, max: number): Promise<{ projectId: number; eventId: string }[]>
    /** Events by id within projects (empty array: none found). */
    byEventId(projectIds: number[], eventId: string): Promise<SeenEvent[]>
    /** At most `max` rows with a digest, of each group a tenth of that, the newest; those of browsers, whom anyone can be, last. */
    byDigest(projectIds: number[], digest: string, max: number): Promise<SeenEvent[]>
    byTraceId(projectIds: number[], traceId: string, max: number): Promise<EventRef[]>
    /** What each of these events says of itself and of its span; those that are gone meanwhile are left out. */
    spansOfEvents(refs: readonly EventRef[]): Promise<EventSpan[]>
    /** Rows of an issue (its hashes), newest first; `before`/`after` are exclusive positions for paging and older/newer. */
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
    /** Events of a scope in this order, behind `from` where it is given. Throws MishapError QUERY_TIMEOUT or STORE_UNAVAILABLE. */
    inScope(request: {
      scope: Scope
      filter?: EventFilter
      order: 'newest' | 'oldest'
      from?: EventPosition
      offset?: number
      max: number
    }): Promise<SeenEvent[]>
    /**
     * The event's place within its issue, in the order of time and then id. `isLarge`: an issue of very many events of which
     * none was thinned out; hours other than the event's own are then counted by the rollup.
     */
    placeOf(projectId: number, hashes: string[], event: EventRef, isLarge?: boolean): Promise<PlaceInIssue>
    /** Groups with events in the scope, ordered; from the rollup when `filter` is absent. */
    groups(request: {
      scope: Scope
      filter?: EventFilter
      order: 'last' | 'events' | 'users' | 'first'
      max: number
      /** Whether users are counted; by default only where they are the order. */
      users?: boolean
    }): Promise<GroupCount[]>
    /** Counts for known hashes within the scope, by default without users. */
    countsOf(
      scope: Scope,
      hashes: { projectId: number; groupHash: string }[],
      options?: { users?: boolean },
    ): Promise<GroupCount[]>
    /**
     * Figures of each set of groups, in the order of the sets (a group is in one of them): who met several groups of a set
     * is one user. `startMs` of each bucket is a multiple of `bucketMs`; where that is whole hours and the scope at least 12
     * of them, hours are taken whole at its ends. `withLife`: of which sets (by their place, from 0) users over all times are
     * counted, by default of all; of the others it is 0.
     */
    figuresOf(
      scope: Scope,
      bucketMs: number,
      sets: readonly (readonly { projectId: number; groupHash: string }[])[],
      withLife?: (at: number) => boolean,
    ): Promise<SetFigures[]>
    /** Events per bucket for known hashes: `startMs` of each bucket is a multiple of `bucketMs`; only buckets with events. */
    series(
      scope: Scope,
      bucketMs: number,
      hashes: { projectId: number; groupHash: string }[],
    ): Promise<{ projectId: number; groupHash: string; startMs: number; events: number }[]>
    /** Events per bucket that meet a filter, from the rows; buckets as those of `series`. */
    filteredSeries(scope: Scope, bucketMs: number, filter: EventFilter): Promise<{ startMs: number; events: number }[]>
    /** Events that name a release, by it, the most first. */
    byRelease(scope: Scope, max: number): Promise<{ release: string; events: number }[]>
    /** Distribution of each tag over an issue's newest `max` events. */
    tagsOf(request: {
      projectId: number
      hashes: string[]
      scope: Scope
      max: number
      valuesMax: number
    }): Promise<TagCount[]>
    /**
     * How many events of these groups within the scope and any of the spans there are, and how many of them have each of
     * the `key=value` pairs.
     */
    tagPairs(request: {
      projectId: number
      hashes: readonly string[]
      scope: Scope
      spans: readonly { fromMs: number; toMs: number }[]
      pairs: readonly string[]
    }): Promise<{ events: number; counts: Map<string, number> }>
    /**
     * Events and distinct users of each set of groups, in the order of the sets (a group is in one of them): who met
     * several groups of a set is one user. From `fromMs` on to the millisecond, even if rollups only hold its whole
     * hour.
     */
    togetherOf(
      scope: Scope,
      sets: readonly (readonly { projectId: number; groupHash: string }[])[],
    ): Promise<{ events: number; users: number }[]>
    /** Tag keys seen in the scope with the number of events, most first. `signal`: of who asks; the engine stops with it. */
    tagKeys(scope: Scope, max: number, signal?: AbortSignal): Promise<{ key: string; events: number }[]>
    /** Values of a tag among the newest 500,000 events of the scope, most first; those that contain `text`, whatever its case. */
    tagValues(
      scope: Scope,
      key: string,
      max: number,
      text?: string,
      signal?: AbortSignal,
    ): Promise<{ value: string; events: number }[]>
    /** The same of a column. */
    columnValues(
      scope: Scope,
      column: 'platform' | 'type' | 'transaction' | 'release',
      options: { text: string; max: number; signal?: AbortSignal | undefined },
    ): Promise<{ value: string; events: number }[]>
    /** The same of what frames have, among the newest 50,000 events. */
    frameValues(
      scope: Scope,
      key: FrameKey,
      options: { text: string; max: number; signal?: AbortSignal | undefined },
    ): Promise<{ value: string; events: number }[]>
    /**
     * Takes all rows of a project with its spans, or of these groups of it, out of events and rollups. Safe to repeat. Nothing of them may
     * be inserted meanwhile.
     */
    remove(projectId: number, hashes?: readonly string[]): Promise<void>
    /** How many events of a project (or of these groups of it) stand at a position or behind it. */
    eventsFrom(projectId: number, hashes: readonly string[] | undefined, jpos: number): Promise<number>
    /** Writes the parts anew from which rows were removed, so that their bytes leave the disk. */
    rewrite(): Promise<void>
    /** Rows of a project with its spans, or of these groups of it, in events and rollups together. */
    rowsOf(projectId: number, hashes?: readonly string[]): Promise<number>
    /** Which of the ids are events of these groups. */
    eventsAmong(projectId: number, hashes: readonly string[], eventIds: readonly string[]): Promise<string[]>
    /** Rows that stand of each project that has any, and how many were thinned. */
    rowsByProject(): Promise<{ projectId: number; rows: number; thinned: number }[]>
    /** Bytes on disk and rows, per table. */
    size(): Promise<{ table: string; rows: number; bytesOnDisk: number; bytesRaw: number }[]>
    /** Copies the whole database to `name` (letters, digits, `_`, `-`) in the engine's backup folder. */
    backup(name: string): Promise<void>
    /** Whether the engine is at work on such a copy, also on one whose asker is gone. */
    copying(): Promise<boolean>
    /** Brings such a copy back into a store without tables. */
    restore(name: string): Promise<void>
    /**
     * What stands, for `mishap verify`: rows by group and what was thinned of them, rows stored twice, groups and weeks of
     * each rollup that differ from both together. `open`: a cut that was broken off, which counts as not begun (`counted`
     * false) or as done; `rewrite`: the same of rows that were being written again, whose groups have no sure rollups.
     */
    check(
      open?: { step: number; counted: boolean; cut: Cut },
      rewrite?: { counted: boolean; rewrite: Rewrite },
    ): Promise<{
      groups: { projectId: number; groupHash: string; rows: number; thinned: number; oldestReceivedMs: number }[]
      twice: number
      lastJpos: number
      rollups: Record<string, number>
    }>
    close(): Promise<void>
  }
