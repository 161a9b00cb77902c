import type { Config } from '../base/config.ts'
import type { ErrorCode } from '../base/errors.ts'
import type { MoveSettings, StoresRecord } from '../base/move-settings.ts'
import type { RecordHead } from '../journal/journal.ts'
import type { RequestLogEntry } from '../journal/request-log.ts'
import type { ServerAway } from '../store/events/server-check.ts'
import type { KeySnapshot } from '../store/meta/meta.ts'
import type { AppMetrics } from './metrics.ts'

/** Messages from the main process to the app process over IPC. */
export type ToApp =
  | { kind: 'durable'; durable: number; atMs: number; lagBytes: number; boundBytes: number }
  /** `away`: why the ClickHouse server cannot be used. Undefined for the embedded store. */
  | { kind: 'engine'; up: boolean; away?: ServerAway | undefined }
  | { kind: 'keysTaken'; id: number }
  /** Answers of ingest since the last message of this kind, for the request log. */
  | { kind: 'notes'; notes: RequestLogEntry[] }
  /** A record requested by the app is in the journal (at `jpos`), or was refused. */
  | { kind: 'appended'; id: number; jpos: number; code?: ErrorCode }
  /** The app reported `refused` and is to end: main starts it again after a pause. */
  | { kind: 'restart' }

/** Messages from the app process to the main process. */
export type FromApp =
  | { kind: 'up'; setupSecret: string | undefined }
  /** The tables of the events store match this version. */
  | { kind: 'stored' }
  | { kind: 'keys'; id: number; snapshot: KeySnapshot }
  | { kind: 'trim'; before: number }
  | {
      kind: 'refused'
      code: 'START_NEWER_DATA' | 'START_JOURNAL_BEHIND' | 'START_DATABASE' | 'START_EVENTS_TAKEN'
      sentence: string
    }
  /** The stores of the data folder are copied, and process app has stopped using the old ones. */
  | { kind: 'moved'; record: StoresRecord; settings: MoveSettings }
  /** Whether the blob store answers. */
  | { kind: 'blobs'; up: boolean }
  /** Whether the database answers. */
  | { kind: 'database'; up: boolean }
  /** A dead letter to replay. */
  | { kind: 'append'; id: number; head: RecordHead; body: Uint8Array }
  | { kind: 'numbers'; numbers: AppMetrics }
  /** A session or token that was just accepted, as a hash (auth/credential.ts). */
  | { kind: 'known'; credential: string }
  /** Where the screens report their own errors; undefined: nowhere. */
  | { kind: 'self'; dsn: string | undefined }

/** Start parameters of the app process (JSON in its arguments, without secrets). */
export type AppSetup = { config: Config; version: string; dev: boolean; sockets: Sockets; folders: Folders }

export type Sockets = { app: string; control: string; engine: string }
export type Folders = { journal: string; blobs: string; engine: string; meta: string }
