import type { AlertAction } from '../contract/alerts/alerts.ts'
import {
  defaultSettings,
  type PersonalKind,
  type PersonalSettings,
  type Place,
  quietUntil,
  reachOf,
} from '../domain/alerts/personal.ts'
import type { Person } from '../store/meta/meta.ts'
import type { Receiver } from './decide/facts.ts'

/** Kinds by which alert rules reach people, as in the personal settings. */
const ruleKinds: readonly PersonalKind[] = ['alert', 'assigned', 'release', 'on_call']

/** Returns the kind under which an action reaches people. */
export function kindOfAction(type: Exclude<AlertAction['type'], 'channel' | 'tracker'>): PersonalKind {
  if (type === 'assignee' || type === 'owners') return 'assigned'
  if (type === 'authors') return 'release'
  return type === 'on_call' ? 'on_call' : 'alert'
}

/**
 * Returns the kind under which a rule reaches a person: the first of its actions that can. Being on call is decided by
 * the receiver. The delivery keeps the kind, so that its link to unsubscribe ends these messages.
 */
export function kindFor(actions: readonly AlertAction[], userId: string): PersonalKind {
  const types = new Set(actions.map(({ type }) => type))
  if (types.has('members') || actions.some((action) => action.type === 'person' && action.person === userId))
    return 'alert'
  if (types.has('assignee') || types.has('owners')) return 'assigned'
  return types.has('authors') ? 'release' : 'on_call'
}

/** What a person wants to hear. `kind` undefined: any kind by which rules reach people. */
type Wish = { kind: PersonalKind | undefined; projectId: number | null }

const pushPrefix = 'push:'

/** Returns a browser of a person as a recipient. A mail address has no colon before its @. */
export const pushRecipient = (browserId: number): string => `${pushPrefix}${browserId}`

/** Returns the id of the browser that a recipient is; undefined for a mail address. */
export const browserOf = (recipient: string): number | undefined =>
  recipient.startsWith(pushPrefix) ? Number(recipient.slice(pushPrefix.length)) : undefined

/** Returns the part of a person that is reached at one place. Each place has limits of its own. */
export function atPlace(receiver: Receiver, place: Place): Receiver {
  const recipients = receiver.recipients.filter(
    (recipient) => (browserOf(recipient) !== undefined) === (place === 'push'),
  )
  return { ...receiver, recipients, place }
}

/** How a person can be reached now: whether mail is sent at all, and the browsers that get push messages. */
type Means = { hasMail: boolean; browsers: readonly number[]; nowMs: number }

/** Returns where a message goes, as recipients. */
function recipientsAt(wanted: ReadonlySet<Place>, person: Person, isOnCall: boolean, { hasMail, browsers }: Means) {
  const pushed = wanted.has('push') ? browsers.map(pushRecipient) : []
  // Whoever is on call and chose only browsers that are gone must still hear of it.
  const byMail = wanted.has('email') || (isOnCall && wanted.has('push') && pushed.length === 0)
  return [...(hasMail && byMail ? [person.email] : []), ...pushed]
}

/** Returns a person as a receiver. `recipients` is empty if they do not want the message, or nothing can reach them. */
export function personReceiver(
  person: Person,
  settings: PersonalSettings | undefined,
  { kind, projectId }: Wish,
  means: Means,
): Receiver {
  const wishes = settings ?? defaultSettings
  const kinds = kind === undefined ? ruleKinds : [kind]
  const { nowMs } = means
  const wanted = new Set(
    kinds.flatMap((candidate) => reachOf(wishes, { kind: candidate, projectId, isCritical: false }, nowMs).places),
  )
  const untilMs = quietUntil(wishes, nowMs)
  return {
    key: `person:${person.id}`,
    channelId: null,
    userId: person.id,
    recipients: recipientsAt(wanted, person, kind === 'on_call', means),
    notBeforeMs: untilMs > nowMs ? untilMs : 0,
    ...(kind === undefined ? {} : { personalKind: kind }),
    ...(kind === 'on_call' ? { isOnCall: true } : {}),
  }
}
