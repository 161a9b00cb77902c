import type { Clock } from '../base/clock.ts'
import type { Observe } from '../base/observe.ts'
import type { Outgoing } from '../base/outgoing.ts'
import type { EventStore } from '../store/events/event-store.ts'
import type { Issue } from '../store/meta/meta.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import type { Mailer, SmtpSettings } from './send/mailer.ts'

/** What notifications need of the other parts. */
export type AlertDeps = {
  clock: Clock
  observe: Observe
  meta: MetaStore
  /** Counts the events of a skew since it began. */
  events: Pick<EventStore, 'countsOf'>
  /** Mail addresses of those whose commits most likely caused an issue. Throws STORE_UNAVAILABLE. */
  authorEmails(issue: Issue): Promise<string[]>
  outgoing: Outgoing
  /** Tests pass their own. */
  mailer?: Mailer
  /** Origin of the web interface, without trailing slash. */
  url: string
  /** Decrypts a sealed channel value. Throws if the key has changed. */
  open(sealed: string): string
  /** Encrypts what a link of a message says. */
  seal(text: string): string
  /** undefined: no mail server is configured. */
  smtp(): Promise<SmtpSettings | undefined>
}
