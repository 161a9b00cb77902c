import type { KeySnapshot } from '../auth/keys.ts'
import type { Config } from '../config.ts'

/** What process main tells process app over IPC. */
export type ToApp =
  | { kind: 'durable'; durable: number; lagBytes: number; boundBytes: number }
  | { kind: 'engine'; up: boolean }
  | { kind: 'keysTaken'; id: number }

/** What process app tells process main. */
export type FromApp =
  | { kind: 'up'; setupSecret: string | undefined }
  | { kind: 'keys'; id: number; snapshot: KeySnapshot }
  | { kind: 'trim'; before: number }
  | { kind: 'refused'; code: 'START_NEWER_DATA' | 'START_JOURNAL_BEHIND'; sentence: string }

/** What process app is started with (as JSON in its arguments: nothing secret). */
export type AppSetup = { config: Config; version: string; dev: boolean; sockets: Sockets; folders: Folders }

export type Sockets = { app: string; control: string; engine: string }
export type Folders = { journal: string; blobs: string; engine: string; meta: string }
