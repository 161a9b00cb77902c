import { dirname, join } from 'node:path'
import { Session } from 'chdb'

/** Lends sessions, at most `size` at a time; who waits and is gone by its turn gets none. */
export type SessionPool = {
  use<T>(gone: () => boolean, run: (session: Session) => Promise<T>): Promise<T | undefined>
  running(): number
}

/**
 * Every use gets a session of its own, 0.09 ms while another stays open: a query that failed after it had produced
 * output leaves those bytes in its session, and the next query there would answer with them. It also ends what SET left.
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
        // The place goes straight to the next waiting caller, so that no newcomer can slip in between.
        if (next) next()
        else running--
      }
    },
  }
}

/** Where `BACKUP ... TO File('name')` writes: beside the engine's own folder, so that nothing of it is taken for data. */
const backupFolderOf = (folder: string): string => join(dirname(folder), 'backup')

/**
 * How the sessions of a data folder are opened. `memoryBytes` is what the engine may track; resident memory can be 1.8
 * times that. The statement's bound is 4 MiB since bound values count (its own default is 256 KB).
 */
export function sessionOpener(folder: string, memoryBytes: number): () => Session {
  const connectionArgs = [
    `--max_server_memory_usage=${memoryBytes}`,
    '--mark_cache_size=134217728',
    '--background_pool_size=2',
    '--max_query_size=4194304',
    '--output_format_json_quote_64bit_integers=1',
    `--backups.allowed_path=${backupFolderOf(folder)}`,
  ]
  return () => new Session(folder, { connectionArgs })
}
