import type { AlertAction } from '../contract/alerts.ts'
import { defaultSettings, type PersonalKind, type PersonalSettings, quietUntil, reachOf } from '../domain/personal.ts'
import type { Person } from '../store/meta/meta.ts'
import type { Receiver } from './decide/facts.ts'

/** Kinds by which alert rules reach people, as in the personal settings. */
const ruleKinds: readonly PersonalKind[] = ['alert', 'assigned', 'release', 'on_call']

/**
 * Returns the kind under which a rule reaches a person: the first of its actions that can. Settings and the link that
 * unsubscribes use the same one, so that the link ends these messages.
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

/** Returns a person as a receiver. `recipients` is empty if they do not want the message by mail, or there is no server. */
export function personReceiver(
  person: Person,
  settings: PersonalSettings | undefined,
  { kind, projectId }: Wish,
  { hasMail, nowMs }: { hasMail: boolean; nowMs: number },
): Receiver {
  const wishes = settings ?? defaultSettings
  const kinds = kind === undefined ? ruleKinds : [kind]
  const isWanted = kinds.some((candidate) =>
    reachOf(wishes, { kind: candidate, projectId, isCritical: false }, nowMs).places.includes('email'),
  )
  const untilMs = quietUntil(wishes, nowMs)
  return {
    key: `person:${person.id}`,
    channelId: null,
    userId: person.id,
    recipients: hasMail && isWanted ? [person.email] : [],
    notBeforeMs: untilMs > nowMs ? untilMs : 0,
    ...(kind === 'on_call' ? { isOnCall: true } : {}),
  }
}
