import type { Selectable } from 'kysely'
import { MishapError } from '../../../base/errors.ts'
import type { ChannelKind, ChannelSubscription } from '../../../domain/alerts/channel-kinds.ts'
import type { PersonalKind } from '../../../domain/alerts/personal.ts'
import { checkName } from '../database/names.ts'
import { insertedId, type Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'
import type { ChannelAddressStore } from '../people/channel-addresses.ts'

/**
 * Reason of an alert: a new issue, a resolved issue that came back, or an issue above its forecast. `alert`: an alert
 * rule found it for another reason.
 */
export type AlertKind = 'new' | 'regression' | 'escalation' | 'alert'

/** A notification channel. The caller encrypts `sealedTarget` and `sealedSecret`: the URL of a chat is a password. */
export type Channel = {
  id: number
  organizationId: number
  /** null: all projects of the organization. */
  projectId: number | null
  kind: ChannelKind
  name: string
  sealedTarget: string
  sealedSecret: string
  /** JSON of the other fields of the kind; '' for none. */
  sealedConfig: string
  subscription: ChannelSubscription
  active: boolean
  createdMs: number
  /** Time of the first failed delivery since the last success; null while the channel works. */
  failingSinceMs: number | null
  lastError: string
  /** What the service said about the last message that it took. */
  lastAnswer: string
  /** The service wants no message before this time. 0: it named none. */
  pausedUntilMs: number
}

/** A queued alert. Written in the transaction of the commit, removed once it is decided. */
export type AlertDue = {
  id: number
  organizationId: number
  projectId: number
  issueId: number
  kind: AlertKind
  eventId: string
  atMs: number
  /** The alert waited until then, for skew after a deploy or a notification less than 1 hour before; 0: no wait. */
  untilMs: number
}

export type DeliveryItem = { issueId: number; kind: AlertKind; eventId: string }
type DeliveryKind = 'issue' | 'incident' | 'summary' | 'digest' | 'report' | 'test'
/** Whether a message is about the start of something, a change of its impact, or its end. */
export type MessageChange = 'start' | 'change' | 'end'
export type AlertLevel = 'warning' | 'critical'

/** A step of a delivery. `text`: a reason, or the words of the service. */
export type DeliveryStep = {
  atMs: number
  step: 'evaluated' | 'sent' | 'answered' | 'retried' | 'sent_again'
  text: string
}

/** A message to a channel (`channelId`) or to a person (`userId`). */
export type NewDelivery = {
  organizationId: number
  channelId: number | null
  userId: string | null
  /** An e-mail address; empty for chats and webhooks. */
  recipient: string
  /** By which of their settings a person gets it; null for a channel. */
  personalKind: PersonalKind | null
  kind: DeliveryKind
  change: MessageChange
  /** '' for the built-in notifications. */
  level: AlertLevel | ''
  /** null: the built-in notifications. */
  ruleId: number | null
  incidentId: number | null
  firingIds: number[]
  items: DeliveryItem[]
  /** All issues that a summary counts. `items` lists the first ones. */
  issueIds: number[]
  /** Number of issues in a summary beyond its items. */
  more: number
  /** `suppressed`: a mute, a snooze or a limit held it back. `error` has the reason. */
  status: 'queued' | 'suppressed'
  error: string
  /** When it is due. A summary collects until then. */
  nextMs: number
  /** Why it is sent, for the log. */
  steps: DeliveryStep[]
}
export type Delivery = Omit<NewDelivery, 'status'> & {
  id: number
  status: 'queued' | 'sent' | 'failed' | 'suppressed'
  attempts: number
  createdMs: number
  sentMs: number | null
}

/** The result of an attempt. `answer`: what the service said. `suppressed`: it may no longer be sent there. */
export type AttemptEnd = (
  | { status: 'suppressed'; error: string }
  | { status: 'sent'; answer?: string }
  | { status: 'queued'; error: string; nextMs: number }
  | { status: 'failed'; error: string }
) & { pausedUntilMs?: number }

/** Which part of the log: all of an organization, or only some, before the delivery `beforeId`. */
type DeliveryFilter = {
  organizationId: number
  channelId?: number
  incidentId?: number
  userId?: string
  status?: Delivery['status']
  beforeId?: number
}

/** The part of meta for notifications. */
export type AlertStore = ChannelAddressStore & {
  createChannel(
    value: Pick<Channel, 'organizationId' | 'projectId' | 'kind' | 'name' | 'sealedTarget' | 'sealedSecret'> &
      Partial<Pick<Channel, 'sealedConfig' | 'subscription'>>,
  ): Promise<Channel>
  /** Changes the given fields. Throws NOT_FOUND when the channel does not exist. */
  updateChannel(
    id: number,
    value: Partial<
      Pick<Channel, 'name' | 'projectId' | 'active' | 'sealedTarget' | 'sealedSecret' | 'sealedConfig' | 'subscription'>
    >,
  ): Promise<Channel>
  deleteChannel(id: number): Promise<void>
  channelById(id: number): Promise<Channel | undefined>
  channelsOf(organizationId: number): Promise<Channel[]>
  /** The oldest undecided alerts that no longer wait, of all organizations or of one. */
  alertsDue(max: number, nowMs: number, organizationId?: number): Promise<AlertDue[]>
  /** Deliveries to these channels and persons since `fromMs`, oldest first, without tests and suppressed ones. */
  deliveriesSince(channelIds: number[], fromMs: number, userIds?: string[]): Promise<Delivery[]>
  queueTest(channelId: number, recipients: string[], nowMs: number): Promise<Delivery[]>
  /** Queued deliveries that are due by `nowMs`, oldest first. A channel that its service paused has none. */
  deliveriesQueued(nowMs: number, max: number): Promise<Delivery[]>
  /**
   * Stores the result of an attempt. Success clears the channel's failure, the last failure of a delivery sets it.
   * `pausedUntilMs`: the service wants no message of this channel before. A longer pause of another message stays.
   */
  recordDelivery(id: number, end: AttemptEnd, nowMs: number): Promise<void>
  /**
   * Queues a delivery once more, under the same id, so that receivers recognize it. `by`: who asked. Throws NOT_FOUND,
   * and CONFLICT while it waits for an attempt.
   */
  sendDeliveryAgain(id: number, by: string, nowMs: number): Promise<Delivery>
  /** The latest deliveries of a channel, newest first. */
  deliveryLog(channelId: number, max: number): Promise<Delivery[]>
  /** The log of an organization, newest first. */
  listDeliveries(filter: DeliveryFilter, max: number): Promise<Delivery[]>
  deliveryById(id: number): Promise<Delivery | undefined>
  /** Messages of the log that arrived and that failed for good, by channel, without tests. Channels without any are absent. */
  deliveryCountsOf(channelIds: number[]): Promise<Map<number, { sent: number; failed: number }>>
}

const toChannel = (row: Selectable<Tables['channel']>): Channel => ({
  id: row.id,
  organizationId: row.organization_id,
  projectId: row.project_id,
  kind: row.kind as ChannelKind,
  name: row.name,
  sealedTarget: row.sealed_target,
  sealedSecret: row.sealed_secret,
  active: row.active === 1,
  createdMs: row.created_ms,
  failingSinceMs: row.failing_since_ms,
  lastError: row.last_error,
  subscription: row.subscription as ChannelSubscription,
  sealedConfig: row.sealed_config,
  lastAnswer: row.last_answer,
  pausedUntilMs: row.paused_until_ms,
})

type ChannelPart = Pick<AlertStore, 'createChannel' | 'updateChannel' | 'deleteChannel' | 'channelById' | 'channelsOf'>

/** Implements notification channels. */
export function channelPart({ write, read, dialect: { builder }, clock }: Store): ChannelPart {
  const byId = (id: number) => read.get(builder.selectFrom('channel').selectAll().where('id', '=', id))
  return {
    createChannel: async (value) => {
      const row = {
        organization_id: value.organizationId,
        project_id: value.projectId,
        kind: value.kind,
        name: checkName(value.name),
        sealed_target: value.sealedTarget,
        sealed_secret: value.sealedSecret,
        active: 1,
        created_ms: clock.now(),
        failing_since_ms: null,
        last_error: '',
        subscription: value.subscription ?? 'issues',
        sealed_config: value.sealedConfig ?? '',
        last_answer: '',
        paused_until_ms: 0,
      }
      return toChannel({ id: await insertedId(write, builder.insertInto('channel').values(row)), ...row })
    },
    updateChannel: async (id, value) => {
      const change = {
        ...(value.name === undefined ? {} : { name: checkName(value.name) }),
        ...(value.projectId === undefined ? {} : { project_id: value.projectId }),
        ...(value.active === undefined ? {} : { active: value.active ? 1 : 0 }),
        ...(value.sealedTarget === undefined ? {} : { sealed_target: value.sealedTarget }),
        ...(value.sealedSecret === undefined ? {} : { sealed_secret: value.sealedSecret }),
        ...(value.sealedConfig === undefined ? {} : { sealed_config: value.sealedConfig }),
        ...(value.subscription === undefined ? {} : { subscription: value.subscription }),
        // A changed or switched channel starts without failures, because the old failure was about the old settings.
        failing_since_ms: null,
        last_error: '',
        paused_until_ms: 0,
      }
      await write.run(builder.updateTable('channel').set(change).where('id', '=', id))
      const row = await byId(id)
      if (!row) throw new MishapError('NOT_FOUND')
      return toChannel(row)
    },
    deleteChannel: async (id) => {
      await write.run(builder.deleteFrom('channel').where('id', '=', id))
    },
    channelById: async (id) => {
      const row = await byId(id)
      return row && toChannel(row)
    },
    channelsOf: async (organizationId) =>
      (
        await read.all(
          builder.selectFrom('channel').selectAll().where('organization_id', '=', organizationId).orderBy('id'),
        )
      ).map(toChannel),
  }
}
