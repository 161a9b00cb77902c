import type { Selectable } from 'kysely'
import { MishapError } from '../../../base/errors.ts'
import type { ChannelKind, ChannelSubscription } from '../../../domain/channel-kinds.ts'
import { checkName } from '../database/names.ts'
import { fromJson, insertedId, type Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'
import type { ChannelAddressStore } from '../people/channel-addresses.ts'
import type { PushBrowserStore } from '../people/push-browsers.ts'

/** Reason of an alert: a new issue, a resolved issue that came back, or an issue above its forecast. */
export type AlertKind = 'new' | 'regression' | 'escalation'

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
type DeliveryKind = 'issue' | 'summary' | 'test'
export type NewDelivery = {
  channelId: number
  /** An e-mail address; empty for chats and webhooks. */
  recipient: string
  kind: DeliveryKind
  items: DeliveryItem[]
  /** Number of issues in a summary beyond its items. */
  more: number
}
export type Delivery = NewDelivery & {
  id: number
  status: 'queued' | 'sent' | 'failed'
  attempts: number
  nextMs: number
  error: string
  createdMs: number
  sentMs: number | null
}

/** The result of an attempt. `answer`: what the service said. */
export type AttemptEnd = (
  | { status: 'sent'; answer?: string }
  | { status: 'queued'; error: string; nextMs: number }
  | { status: 'failed'; error: string }
) & { pausedUntilMs?: number }

/** The part of meta for notifications. */
export type AlertStore = ChannelAddressStore &
  PushBrowserStore & {
    createChannel(
      value: Pick<Channel, 'organizationId' | 'projectId' | 'kind' | 'name' | 'sealedTarget' | 'sealedSecret'> &
        Partial<Pick<Channel, 'sealedConfig' | 'subscription'>>,
    ): Promise<Channel>
    /** Changes the given fields. Throws NOT_FOUND when the channel does not exist. */
    updateChannel(
      id: number,
      value: Partial<
        Pick<
          Channel,
          'name' | 'projectId' | 'active' | 'sealedTarget' | 'sealedSecret' | 'sealedConfig' | 'subscription'
        >
      >,
    ): Promise<Channel>
    deleteChannel(id: number): Promise<void>
    channelById(id: number): Promise<Channel | undefined>
    channelsOf(organizationId: number): Promise<Channel[]>
    /** The oldest undecided alerts that no longer wait. */
    alertsDue(max: number, nowMs: number): Promise<AlertDue[]>
    /** Deliveries of these channels since `fromMs`, oldest first, without tests. */
    deliveriesSince(channelIds: number[], fromMs: number): Promise<Delivery[]>
    /** In one transaction: queues the deliveries, removes the decided alerts, and delays the `postponed` ones. */
    decideAlerts(
      deliveries: NewDelivery[],
      dueIds: number[],
      nowMs: number,
      postponed?: { id: number; untilMs: number }[],
    ): Promise<void>
    queueTest(channelId: number, recipients: string[], nowMs: number): Promise<Delivery[]>
    /** Queued deliveries that are due by `nowMs`, oldest first. A channel that its service paused has none. */
    deliveriesQueued(nowMs: number, max: number): Promise<Delivery[]>
    /**
     * Stores the result of an attempt. Success clears the channel's failure, the last failure of a delivery sets it.
     * `pausedUntilMs`: the service wants no message of this channel before.
     */
    recordDelivery(id: number, end: AttemptEnd, nowMs: number): Promise<void>
    /** The latest deliveries of a channel, newest first. */
    deliveryLog(channelId: number, max: number): Promise<Delivery[]>
    deliveryById(id: number): Promise<Delivery | undefined>
  }

/** How long deliveries are stored, for people who ask whether they were notified. */
const deliveryRetentionMs = 30 * 86_400_000

/** The request that queues a test also sends it. So a test is never due for the outbox. */
const neverMs = Number.MAX_SAFE_INTEGER

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

const toDelivery = (row: Selectable<Tables['delivery']>): Delivery => ({
  id: row.id,
  channelId: row.channel_id,
  recipient: row.recipient,
  kind: row.kind as DeliveryKind,
  items: fromJson<DeliveryItem[]>(row.items),
  more: row.more,
  status: row.status as Delivery['status'],
  attempts: row.attempts,
  nextMs: row.next_ms,
  error: row.error,
  createdMs: row.created_ms,
  sentMs: row.sent_ms,
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

type OutboxPart = Pick<AlertStore, 'alertsDue' | 'decideAlerts' | 'queueTest' | 'recordDelivery'>
type LogPart = Pick<AlertStore, 'deliveriesSince' | 'deliveriesQueued' | 'deliveryLog' | 'deliveryById'>

/** Queues a delivery, due at `nextMs`. */
async function queue(
  { write, dialect: { builder } }: Store,
  newDelivery: NewDelivery,
  nowMs: number,
  nextMs = nowMs,
): Promise<Delivery> {
  const row = {
    channel_id: newDelivery.channelId,
    recipient: newDelivery.recipient,
    kind: newDelivery.kind,
    items: JSON.stringify(newDelivery.items),
    more: newDelivery.more,
    status: 'queued',
    attempts: 0,
    next_ms: nextMs,
    error: '',
    created_ms: nowMs,
    sent_ms: null,
  }
  return toDelivery({ id: await insertedId(write, builder.insertInto('delivery').values(row)), ...row })
}

/** Implements the outbox: due alerts, decided alerts, and results of attempts. */
export function outboxPart(store: Store): OutboxPart {
  const {
    write,
    dialect: { builder },
  } = store
  return {
    alertsDue: async (max, nowMs) => {
      const due = builder.selectFrom('alert_due').selectAll().where('until_ms', '<=', nowMs)
      return (await write.all(due.orderBy('id').limit(max))).map((row) => ({
        id: row.id,
        organizationId: row.organization_id,
        projectId: row.project_id,
        issueId: row.issue_id,
        kind: row.kind as AlertKind,
        eventId: row.event_id,
        atMs: row.at_ms,
        untilMs: row.until_ms,
      }))
    },
    decideAlerts: (deliveries, dueIds, nowMs, postponed = []) =>
      write.transaction(async () => {
        for (const item of deliveries) await queue(store, item, nowMs)
        for (const { id, untilMs } of postponed)
          await write.run(builder.updateTable('alert_due').set({ until_ms: untilMs }).where('id', '=', id))
        for (const id of dueIds) await write.run(builder.deleteFrom('alert_due').where('id', '=', id))
        await write.run(builder.deleteFrom('delivery').where('created_ms', '<', nowMs - deliveryRetentionMs))
      }),
    queueTest: (channelId, recipients, nowMs) =>
      write.transaction(
        async () =>
          await Array.fromAsync(recipients, async (recipient) =>
            queue(store, { channelId, recipient, kind: 'test', items: [], more: 0 }, nowMs, neverMs),
          ),
      ),
    recordDelivery: (id, end, nowMs) =>
      write.transaction(async () => {
        const row = await write.get(builder.selectFrom('delivery').selectAll().where('id', '=', id))
        if (!row) return
        const error = end.status === 'sent' ? '' : end.error
        await write.run(
          builder
            .updateTable('delivery')
            .set({
              status: end.status,
              attempts: row.attempts + 1,
              error,
              next_ms: end.status === 'queued' ? end.nextMs : row.next_ms,
              sent_ms: end.status === 'sent' ? nowMs : null,
            })
            .where('id', '=', id),
        )
        const channel = builder.updateTable('channel').where('id', '=', row.channel_id)
        if (end.pausedUntilMs !== undefined) await write.run(channel.set({ paused_until_ms: end.pausedUntilMs }))
        if (end.status === 'sent')
          await write.run(channel.set({ failing_since_ms: null, last_error: '', last_answer: end.answer ?? '' }))
        else {
          await write.run(channel.set({ last_error: error }))
          if (end.status === 'failed')
            await write.run(channel.set({ failing_since_ms: nowMs }).where('failing_since_ms', 'is', null))
        }
      }),
  }
}

/** Implements lookups of deliveries. */
export function deliveryPart({ write, read, dialect: { builder } }: Store): LogPart {
  const latest = (channelId: number) =>
    builder.selectFrom('delivery').selectAll().where('channel_id', '=', channelId).orderBy('id', 'desc')
  return {
    deliveriesSince: async (channelIds, fromMs) =>
      (
        await write.all(
          builder
            .selectFrom('delivery')
            .selectAll()
            .where('channel_id', 'in', channelIds)
            .where('created_ms', '>=', fromMs)
            .where('kind', '!=', 'test')
            .orderBy('id'),
        )
      ).map(toDelivery),
    deliveriesQueued: async (nowMs, max) =>
      (
        await write.all(
          builder
            .selectFrom('delivery')
            .selectAll()
            .where('status', '=', 'queued')
            .where('next_ms', '<=', nowMs)
            .where(({ not, exists, selectFrom }) =>
              not(
                exists(
                  selectFrom('channel')
                    .select('channel.id')
                    .whereRef('channel.id', '=', 'delivery.channel_id')
                    .where('paused_until_ms', '>', nowMs),
                ),
              ),
            )
            .orderBy('next_ms')
            .orderBy('id')
            .limit(max),
        )
      ).map(toDelivery),
    deliveryLog: async (channelId, max) => (await read.all(latest(channelId).limit(max))).map(toDelivery),
    deliveryById: async (id) => {
      const row = await write.get(builder.selectFrom('delivery').selectAll().where('id', '=', id))
      return row && toDelivery(row)
    },
  }
}
