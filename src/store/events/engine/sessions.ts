import { dirname, join } from 'node:path'
import { Session } from 'chdb'

/** Lends sessions, at most `size` at a time. A caller that disconnects while it waits gets none. */
export type SessionPool = {
  use<T>(gone: () => boolean, run: (session: Session) => Promise<T>): Promise<T | undefined>
  running(): number
}

/**
 * Each use gets a new session, which costs 0.09 ms while another session is open. A query that fails after it produced
 * output leaves those bytes in its session, and the next query there would return them. SET values do not leak either.
 */
export function createSessionPool(size: number, open: () => Session): SessionPool {
  const waiting: (() => void)[] = []
  let running = 0
  return {
    running: () => running,
    async use(gone, run) {
      if (running >= size) await new Promise<void>((resolve) => waiting.push(resolve))
      else running++
      try {
        if (gone()) return undefined
        const session = open()
        try {
          return await run(session)
        } finally {
          session.close()
        }
      } finally {
        const next = waiting.shift()
        // The slot passes directly to the next waiting caller, so that no new caller can take it.
        if (next) next()
        else running--
      }
    },
  }
}

/** Target folder of `BACKUP ... TO File('name')`. It is next to the engine's folder, so its files are never data. */
const backupFolderOf = (folder: string): string => join(dirname(folder), 'backup')

/**
 * Returns a function that opens sessions of a data folder. `memoryBytes` limits the memory that the engine tracks;
 * resident memory can be 1.8 times that. The statement limit is 4 MiB, because bound values count (default: 256 KB).
 */
export function sessionOpener(folder: string, memoryBytes: number): () => Session {
  const connectionArgs = [
    `--max_server_memory_usage=${memoryBytes}`,
    '--mark_cache_size=134217728',
    '--background_pool_size=2',
    // It compares its sums with the memory of the process, by default every 50 ms: an eighth of an idle product's time. The
    // allocator keeps freed pages as long (`engineEnvironment`).
    '--memory_worker_period_ms=200',
    // The engine looks for parts to merge or to rewrite after 0.1 s, and by default up to a second later, at random: a
    // deletion in five partitions took 0.6 s on average, and takes 0.13 s so. Without the 0.1 s it would take 0.05 s.
    '--background_processing_pool_task_sleep_seconds_when_no_work_random_part=0.02',
    '--max_query_size=4194304',
    '--output_format_json_quote_64bit_integers=1',
    `--backups.allowed_path=${backupFolderOf(folder)}`,
  ]
  return () => new Session(folder, { connectionArgs })
}
