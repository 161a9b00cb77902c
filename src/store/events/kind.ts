/** Settings that go with one request, by name. */
type Settings = Readonly<Record<string, string | number>>

/**
 * What differs between the embedded engine and a ClickHouse server. Code that treats both alike takes its statements
 * and settings from here. Table engines are those of one server; copies on several servers would be a third kind.
 */
export type EventsKind = {
  name: 'embedded' | 'server'
  /** Table engines of rows and of sums, and how many insert tokens a table remembers. */
  engines: { rows: string; sums: string; dedupWindow: number }
  /** Settings of a SELECT, of another statement, and of an insert. */
  settings: { read: Settings; command: Settings; insert: Settings }
  /**
   * The store outlives this program and is reached over a network. A request can then arrive after its sender is gone:
   * inserts check a fence, and statements without an answer are ended before the next one (`control.ts`).
   */
  isRemote: boolean
}

/** chDB in process engine. It has its own limits (`sessions.ts`) and serves this installation only. */
export const embeddedKind: EventsKind = {
  name: 'embedded',
  engines: { rows: 'MergeTree', sums: 'AggregatingMergeTree', dedupWindow: 1000 },
  settings: {
    read: {},
    command: {},
    // Two inserts run at once, on few cores. Parsing one in several threads took a tenth more processor time for a batch.
    insert: { input_format_parallel_parsing: 0 },
  },
  isRemote: false,
}

const GiB = 1024 ** 3
/** A server is shared: one query may not take all of its memory. Larger sums and sorts spill to its disk. */
const limits: Settings = {
  max_memory_usage: String(2 * GiB),
  max_bytes_before_external_group_by: String(GiB),
  max_bytes_before_external_sort: String(GiB),
}
/** Profiles of a server can have other defaults. Results must not depend on them. */
const fixed: Settings = {
  session_timezone: 'UTC',
  join_use_nulls: 0,
  max_query_size: String(4 * 1024 * 1024),
}
/**
 * Proxies drop a connection without traffic, and a deletion can take an hour without any. Each progress header takes
 * about 250 bytes of the client's 16 KiB.
 */
const kept: Settings = { send_progress_in_http_headers: 1, http_headers_progress_interval_ms: '110000' }

/** One ClickHouse server. */
export const serverKind: EventsKind = {
  name: 'server',
  // Ten times the window of the embedded store: a proxy on the way can repeat a request.
  engines: { rows: 'MergeTree', sums: 'AggregatingMergeTree', dedupWindow: 10_000 },
  settings: {
    read: { ...limits, ...fixed, ...kept },
    command: {
      ...limits,
      ...fixed,
      ...kept,
      // The statement has taken effect when it is answered, whatever the profile says.
      mutations_sync: 2,
      lightweight_deletes_sync: 2,
      alter_sync: 2,
    },
    insert: {
      ...limits,
      ...fixed,
      async_insert: 0,
      insert_deduplicate: 1,
      // One block for each insert: its token covers all rows.
      max_insert_threads: 1,
      min_insert_block_size_rows: '100000000',
      min_insert_block_size_bytes: String(GiB),
      // The server ends an insert that hangs. The client has given up on it by then.
      max_execution_time: 60,
    },
  },
  isRemote: true,
}

/** SQL that must follow `SETTINGS` of a table with inserts under tokens. */
export const dedupSettings = ({ engines }: EventsKind): string =>
  `non_replicated_deduplication_window = ${engines.dedupWindow}`
