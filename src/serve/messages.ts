import type { Config } from '../base/config.ts'
import type { ErrorCode } from '../base/errors.ts'
import type { RecordHead } from '../journal/journal.ts'
import type { RequestNote } from '../journal/request-log.ts'
import type { KeySnapshot } from '../store/meta/meta.ts'
import type { AppNumbers } from './metrics.ts'

/** What process main tells process app over IPC. */
export type ToApp =
  | { kind: 'durable'; durable: number; lagBytes: number; boundBytes: number }
  | { kind: 'engine'; up: boolean }
  | { kind: 'keysTaken'; id: number }
  /** What ingest has answered since the last message of this kind, for the request log. */
  | { kind: 'notes'; notes: RequestNote[] }
  /** A record that app wanted in the journal is there (at `jpos`), or was refused. */
  | { kind: 'appended'; id: number; jpos: number; code?: ErrorCode }

/** What process app tells process main. */
export type FromApp =
  | { kind: 'up'; setupSecret: string | undefined }
  /** The events store's tables are those of this version. */
  | { kind: 'stored' }
  | { kind: 'keys'; id: number; snapshot: KeySnapshot }
  | { kind: 'trim'; before: number }
  | { kind: 'refused'; code: 'START_NEWER_DATA' | 'START_JOURNAL_BEHIND'; sentence: string }
  /** A dead item that is to be refined once more. */
  | { kind: 'append'; id: number; head: RecordHead; body: Uint8Array }
  | { kind: 'numbers'; numbers: AppNumbers }
  /** A session or token that was just found good, as a hash (auth/credential.ts). */
  | { kind: 'known'; credential: string }
  /** Where the screens report their own errors to; undefined: nowhere. */
  | { kind: 'self'; dsn: string | undefined }

/** What process app is started with (as JSON in its arguments: nothing secret). */
export type AppSetup = { config: Config; version: string; dev: boolean; sockets: Sockets; folders: Folders }

export type Sockets = { app: string; control: string; engine: string }
export type Folders = { journal: string; blobs: string; engine: string; meta: string }
