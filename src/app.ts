import type { Auth } from './auth/auth.ts'
import type { Clock } from './clock.ts'
import type { Config } from './config.ts'
import type { Observe } from './observe.ts'
import type { LiveChange } from './protocol/rest.ts'
import type { BlobStore } from './store/blobs/blobs.ts'
import type { EventStore } from './store/events/events.ts'
import type { MetaStore } from './store/meta/meta.ts'

/** Listeners of what a commit changed; server-sent events hang on it. */
export type Live = {
  publish(organizationId: number, change: LiveChange): void
  /** Changes after `lastId` that are still known, then every new one. Returns the way to stop. */
  subscribe(organizationId: number, lastId: number, listener: (id: number, change: LiveChange) => void): () => void
}

/** What process main tells about itself. */
export type JournalState = { lagBytes: number; oldestWaitingMs: number; boundBytes: number }

/** Every part of process app, wired. Stands at globalThis[Symbol.for('mishap.app')]. */
export type App = {
  version: string
  startedMs: number
  config: Config
  clock: Clock
  observe: Observe
  meta: MetaStore
  events: EventStore
  blobs: BlobStore
  auth: Auth
  live: Live
  journal(): JournalState
  engineUp(): boolean
  /** Hands the changed keys to process main; resolves when accept uses them. */
  publishKeys(): Promise<void>
  /** DSN of the project that these screens report their own errors to; undefined when switched off. */
  selfDsn(): string | undefined
}
