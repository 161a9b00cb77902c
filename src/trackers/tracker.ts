import type { Clock } from '../base/clock.ts'
import type { Observe } from '../base/observe.ts'
import type { Outgoing } from '../base/outgoing.ts'
import type { TrackerState } from '../domain/alerts/trackers.ts'
import type { MetaWith } from '../store/meta/meta-store.ts'
import type { Integration } from '../store/meta/trackers/integrations.ts'

/** What calls of trackers need. `open` decrypts a sealed token. `url`: origin of the screens, without trailing slash. */
export type TrackerDeps = {
  clock: Pick<Clock, 'now'>
  observe: Observe
  outgoing: Outgoing
  url: string
  open(sealed: string): string
  meta: MetaWith<'trackers.setIntegrationError'>
}

/** An issue as its tracker shows it. */
export type TrackerIssue = { externalId: string; key: string; title: string; url: string; state: TrackerState }
/** The text of a new issue. `body` is Markdown; Jira gets its own markup. */
export type IssueText = { title: string; body: string }

/** The calls of one service. `id` is an `externalId`. All throw TrackerFailure or OUTGOING_*. */
export type Tracker = {
  /** Checks token and target. Returns the person that the token belongs to, and the target if it has a better name. */
  check(): Promise<{ account: string; accountId: string; target?: string }>
  create(text: IssueText): Promise<TrackerIssue>
  /** `name`: its address, its key or `#12`. Undefined for names that are not of this target. */
  idOf(name: string): string | undefined
  issue(id: string): Promise<TrackerIssue>
  /** Sets the state. Sends nothing that is already so. */
  setState(id: string, state: TrackerState): Promise<void>
  /** Adds a comment and returns its id. */
  comment(id: string, text: string): Promise<string>
}

/** A connection with its decrypted token, and the guarded way to its service. */
export type Connection = Pick<Integration, 'url' | 'target' | 'email'> & {
  token: string
  fetch: typeof globalThis.fetch
}

/** An answer that is an error. `words` are the service's own, as one line. */
export class TrackerFailure extends Error {
  readonly kind: 'token' | 'missing' | 'limited' | 'refused'
  readonly retryAfterMs: number | undefined

  constructor(kind: TrackerFailure['kind'], words: string, retryAfterMs?: number) {
    super(words)
    this.name = 'TrackerFailure'
    this.kind = kind
    this.retryAfterMs = retryAfterMs
  }
}
