import type { PersonalKind, Place } from '../../domain/alerts/personal.ts'
import type { StepReason } from '../../domain/alerts/step-reasons.ts'
import type { Firing } from '../../store/meta/alerts/firings.ts'
import type { OpenIncident } from '../../store/meta/alerts/incidents.ts'
import type { Mute } from '../../store/meta/alerts/mutes.ts'
import type { AlertDue, Channel, Delivery } from '../../store/meta/issues/alerts.ts'

/** Who gets a message: a channel or a person. Messages of one `key` share their limits. */
export type Receiver = {
  /** `channel:3` or `person:ID`. */
  key: string
  channelId: number | null
  userId: string | null
  /** Of a person, once messages are counted: the limits are for each organization. */
  organizationId?: number
  /** Mail addresses, browsers, or `['']` for a chat; empty: nowhere now. */
  recipients: readonly string[]
  /** Messages wait until then: the quiet hours of a person. 0: they do not. */
  notBeforeMs: number
  /** By which kind of their settings a person hears; absent if any kind will do, as at the end of an incident. */
  personalKind?: PersonalKind
  /** Critical messages do not wait. */
  isOnCall?: boolean
  /** Of a person: the place of all `recipients`, once they are split by place. */
  place?: Place
  /** A service that keeps an alert open until it hears of the end: PagerDuty, Opsgenie. */
  isPager?: boolean
}

/**
 * One receiver that several actions or rules name, in whatever order: all of its places, and on call if any of them says
 * so.
 */
export function mergedReceiver(a: Receiver, b: Receiver): Receiver {
  const recipients = [...new Set([...a.recipients, ...b.recipients])]
  // The link to unsubscribe ends the kind by which they come: being on call, else that of the first with a place.
  const heard = [a, b].filter((receiver) => receiver.recipients.length > 0)
  const base = heard.find(({ isOnCall }) => isOnCall) ?? heard[0] ?? a
  return { ...base, recipients, ...(a.isOnCall || b.isOnCall ? { isOnCall: true } : {}) }
}

/** Receivers by their key, each once. */
export function mergedReceivers(receivers: readonly Receiver[]): Receiver[] {
  const byKey = new Map<string, Receiver>()
  for (const receiver of receivers) {
    const known = byKey.get(receiver.key)
    byKey.set(receiver.key, known ? mergedReceiver(known, receiver) : receiver)
  }
  return [...byKey.values()]
}

const pagers: ReadonlySet<Channel['kind']> = new Set(['pagerduty', 'opsgenie'])

/** Whether a channel is an on-call service, which has alerts of its own. */
export const isPager = ({ kind }: Pick<Channel, 'kind'>): boolean => pagers.has(kind)

/** A channel as a receiver of messages. */
export const channelReceiver = (channel: Pick<Channel, 'id' | 'kind'>, recipients: readonly string[]): Receiver => ({
  key: `channel:${channel.id}`,
  channelId: channel.id,
  userId: null,
  recipients,
  notBeforeMs: 0,
  ...(isPager(channel) ? { isPager: true } : {}),
})

/** What a decision must know of a rule. */
export type RuleFacts = {
  id: number
  name: string
  kind: 'issue' | 'metric'
  isActive: boolean
  mutedUntilMs: number | null
  intervalMinutes: number
  resolveMessage: boolean
  escalation: readonly { afterMinutes: number; schedule: string }[]
  /** Schedules whose person on call already hears of the start. */
  onCallSchedules: readonly string[]
  /** Trackers that get an issue for each issue that the rule finds. */
  trackers: readonly number[]
}

/** All that a decision depends on. The same question always has the same answer. */
export type Question = {
  nowMs: number
  /** Undecided changes of issues for the built-in notifications, oldest first. */
  due: readonly AlertDue[]
  /** Undecided firings, oldest first. */
  firings: readonly Firing[]
  /** By id. The rule of a firing that is missing here was deleted. */
  rules: ReadonlyMap<number, RuleFacts>
  /** Open incidents, and those that ended within the longest interval of `rules`. */
  incidents: readonly OpenIncident[]
  /** Issues of members that are resolved, archived or gone, with the reason that says so. */
  closedIssues: ReadonlyMap<number, StepReason>
  /** Short id and title of issues, for the titles of incidents. */
  titles: ReadonlyMap<number, string>
  /** Those that hold now. */
  mutes: readonly Mute[]
  /** All channels of these organizations. Inactive ones get nothing. */
  channels: readonly Channel[]
  /** Deliveries to these channels and persons since `recentMs` ago, oldest first. */
  recent: readonly Delivery[]
  /** The recipients of a channel for the built-in notifications. */
  recipientsOf: (channel: Channel) => readonly string[]
  /** Who hears of a rule, given the issues that it found. */
  receiversOf: (ruleId: number, issueIds: readonly number[]) => readonly Receiver[]
  /**
   * The receiver with this key in the organization of an incident that ends; undefined if it is gone. A person can be in
   * several organizations, with other wishes in each.
   */
  receiverOf: (key: string, organizationId: number) => Receiver | undefined
  /** Persons of a schedule of an organization in the order of escalation, the one on call first. */
  onCall: (schedule: string, organizationId: number) => readonly Receiver[]
}

/** Age up to which messages matter: a change can wait an hour, then in a flood. Earlier messages must be known. */
export const recentMs = 2 * 3_600_000
