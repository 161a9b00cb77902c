import { type Selectable, sql } from 'kysely'
import { MishapError } from '../../../base/errors.ts'
import { type DueBy, fromJson, insertedId, type Store } from '../database/store.ts'
import type { Tables } from '../database/tables.ts'
import type { AlertKind, AlertStore, AttemptEnd, Delivery, DeliveryStep, NewDelivery } from '../issues/alerts.ts'

/** Steps that a delivery keeps: the first ones say why it was sent, the last ones what happened. */
const stepsMax = 40
const stepTextMax = 500

/** The request that queues a test also sends it. So a test is never due for the outbox. */
const neverMs = Number.MAX_SAFE_INTEGER

const toDelivery = (row: Selectable<Tables['delivery']>): Delivery => ({
  id: row.id,
  organizationId: row.organization_id,
  channelId: row.channel_id,
  userId: row.user_id,
  incidentId: row.incident_id,
  ruleId: row.rule_id,
  firingIds: fromJson<number[]>(row.firing_ids),
  recipient: row.recipient,
  personalKind: row.personal_kind as Delivery['personalKind'],
  kind: row.kind as Delivery['kind'],
  change: row.change as Delivery['change'],
  level: row.level as Delivery['level'],
  items: fromJson<Delivery['items']>(row.items),
  issueIds: fromJson<number[]>(row.issue_ids),
  more: row.more,
  status: row.status as Delivery['status'],
  attempts: row.attempts,
  nextMs: row.next_ms,
  error: row.error,
  createdMs: row.created_ms,
  sentMs: row.sent_ms,
  steps: fromJson<DeliveryStep[]>(row.steps),
})

/** Adds steps to those of a delivery. Keeps the first ten and the newest ones. */
function withSteps(steps: readonly DeliveryStep[], more: readonly DeliveryStep[]): string {
  const all = [...steps, ...more.map((step) => ({ ...step, text: step.text.slice(0, stepTextMax) }))]
  return JSON.stringify(all.length > stepsMax ? [...all.slice(0, 10), ...all.slice(10 - stepsMax)] : all)
}

/** Stores a delivery. */
export async function insertDelivery(
  { write, dialect: { builder } }: Store,
  value: NewDelivery,
  nowMs: number,
): Promise<Delivery> {
  const row = {
    organization_id: value.organizationId,
    channel_id: value.channelId,
    user_id: value.userId,
    incident_id: value.incidentId,
    rule_id: value.ruleId,
    firing_ids: JSON.stringify(value.firingIds),
    recipient: value.recipient,
    personal_kind: value.personalKind,
    kind: value.kind,
    change: value.change,
    level: value.level,
    items: JSON.stringify(value.items),
    issue_ids: JSON.stringify(value.issueIds),
    more: value.more,
    status: value.status,
    attempts: 0,
    next_ms: value.nextMs,
    error: value.error,
    created_ms: nowMs,
    sent_ms: null,
    steps: withSteps([], value.steps),
  }
  return toDelivery({ id: await insertedId(write, builder.insertInto('delivery').values(row)), ...row })
}

/** The steps that an attempt adds. A failed attempt that is repeated is `retried`, with the words of the failure. */
function stepsOf(end: AttemptEnd, nowMs: number): DeliveryStep[] {
  if (end.status === 'queued') return [{ atMs: nowMs, step: 'retried', text: end.error }]
  if (end.status === 'suppressed') return [{ atMs: nowMs, step: 'answered', text: end.error }]
  const answer = end.status === 'sent' ? (end.answer ?? '') : end.error
  return [
    { atMs: nowMs, step: 'sent', text: '' },
    { atMs: nowMs, step: 'answered', text: answer },
  ]
}

type OutboxPart = Pick<AlertStore, 'queueTest' | 'recordDelivery' | 'sendDeliveryAgain'>
type LogPart = Pick<
  AlertStore,
  'deliveriesSince' | 'deliveriesQueued' | 'deliveryLog' | 'deliveryById' | 'deliveryCountsOf' | 'listDeliveries'
>

const testOf = (channel: { id: number; organization_id: number }, recipient: string): NewDelivery => ({
  organizationId: channel.organization_id,
  channelId: channel.id,
  userId: null,
  recipient,
  personalKind: null,
  kind: 'test',
  change: 'start',
  level: '',
  ruleId: null,
  incidentId: null,
  firingIds: [],
  items: [],
  issueIds: [],
  more: 0,
  status: 'queued',
  error: '',
  nextMs: neverMs,
  steps: [],
})

/** Implements the outbox of commits for the built-in notifications. */
export function alertDuePart({ write, dialect: { builder } }: Store): Pick<AlertStore, 'alertsDue'> {
  return {
    alertsDue: async (max, nowMs, organizationId) => {
      const all = builder.selectFrom('alert_due').selectAll().where('until_ms', '<=', nowMs)
      const due = organizationId === undefined ? all : all.where('organization_id', '=', organizationId)
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
  }
}

/** Implements the results of attempts, tests, and messages that are sent again. */
export function outboxPart(store: Store): OutboxPart {
  const { write } = store
  const { builder } = store.dialect
  const rowById = (id: number) => write.get(builder.selectFrom('delivery').selectAll().where('id', '=', id))
  const recordEnd = async (channelId: number, end: AttemptEnd, nowMs: number) => {
    const channel = builder.updateTable('channel').where('id', '=', channelId)
    // It says nothing about the channel.
    if (end.status === 'suppressed') return
    const { pausedUntilMs } = end
    if (pausedUntilMs !== undefined)
      await write.run(channel.set({ paused_until_ms: pausedUntilMs }).where('paused_until_ms', '<', pausedUntilMs))
    if (end.status === 'sent')
      await write.run(channel.set({ failing_since_ms: null, last_error: '', last_answer: end.answer ?? '' }))
    else await write.run(channel.set({ last_error: end.error }))
    if (end.status === 'failed')
      await write.run(channel.set({ failing_since_ms: nowMs }).where('failing_since_ms', 'is', null))
  }
  return {
    queueTest: (channelId, recipients, nowMs) =>
      write.transaction(async () => {
        const channel = await write.get(builder.selectFrom('channel').selectAll().where('id', '=', channelId))
        if (!channel) throw new MishapError('NOT_FOUND')
        return Array.fromAsync(recipients, (recipient) => insertDelivery(store, testOf(channel, recipient), nowMs))
      }),
    recordDelivery: (id, end, nowMs) =>
      write.transaction(async () => {
        const row = await rowById(id)
        if (!row) return
        await write.run(
          builder
            .updateTable('delivery')
            .set({
              status: end.status,
              attempts: row.attempts + (end.status === 'suppressed' ? 0 : 1),
              error: end.status === 'sent' ? '' : end.error,
              next_ms: end.status === 'queued' ? end.nextMs : row.next_ms,
              sent_ms: end.status === 'sent' ? nowMs : null,
              steps: withSteps(fromJson<DeliveryStep[]>(row.steps), stepsOf(end, nowMs)),
            })
            .where('id', '=', id),
        )
        if (row.channel_id !== null) await recordEnd(row.channel_id, end, nowMs)
      }),
    sendDeliveryAgain: (id, by, nowMs) =>
      write.transaction(async () => {
        const row = await rowById(id)
        if (!row) throw new MishapError('NOT_FOUND')
        if (row.status === 'queued' && row.next_ms !== neverMs)
          throw new MishapError('CONFLICT', { detail: 'This message is waiting to be sent.' })
        const again: DeliveryStep = { atMs: nowMs, step: 'sent_again', text: by }
        const change = {
          status: 'queued',
          attempts: 0,
          next_ms: nowMs,
          error: '',
          steps: withSteps(fromJson<DeliveryStep[]>(row.steps), [again]),
        }
        await write.run(builder.updateTable('delivery').set(change).where('id', '=', id))
        return toDelivery({ ...row, ...change })
      }),
  }
}

/** Implements lookups of deliveries. */
export function deliveryPart({ write, read, dialect: { builder } }: Store): LogPart {
  const all = () => builder.selectFrom('delivery').selectAll()
  // Prepared once, because it runs every few seconds.
  const due = write.prepared<DueBy, Selectable<Tables['delivery']>>((slot) =>
    all()
      // A literal: for a parameter, a plan that PostgreSQL keeps would not use the index of queued messages.
      .where('status', '=', sql.lit('queued'))
      .where('next_ms', '<=', slot('nowMs'))
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('channel')
              .select('channel.id')
              .whereRef('channel.id', '=', 'delivery.channel_id')
              .where('paused_until_ms', '>', slot('nowMs')),
          ),
        ),
      )
      .orderBy('next_ms')
      .orderBy('id')
      .limit(slot('max')),
  )
  return {
    deliveriesSince: async (channelIds, fromMs, userIds = []) => {
      const since = all()
        .where('created_ms', '>=', fromMs)
        .where('kind', '!=', 'test')
        .where('status', '!=', 'suppressed')
      // One statement for each index: with `or` and an empty list of people, SQLite reads the whole log (1M: 200 ms).
      const rows = [
        ...(channelIds.length > 0 ? await write.all(since.where('channel_id', 'in', channelIds)) : []),
        ...(userIds.length > 0 ? await write.all(since.where('user_id', 'in', userIds)) : []),
      ]
      return [...new Map(rows.map((row) => [row.id, row])).values()].sort((a, b) => a.id - b.id).map(toDelivery)
    },
    deliveriesQueued: async (nowMs, max) => (await due.all({ nowMs, max })).map(toDelivery),
    deliveryLog: async (channelId, max) =>
      (await read.all(all().where('channel_id', '=', channelId).orderBy('id', 'desc').limit(max))).map(toDelivery),
    listDeliveries: async (filter, max) => {
      let rows = all().where('organization_id', '=', filter.organizationId)
      if (filter.channelId !== undefined) rows = rows.where('channel_id', '=', filter.channelId)
      if (filter.incidentId !== undefined) rows = rows.where('incident_id', '=', filter.incidentId)
      if (filter.userId !== undefined) rows = rows.where('user_id', '=', filter.userId)
      if (filter.status !== undefined) rows = rows.where('status', '=', filter.status)
      if (filter.beforeId !== undefined) rows = rows.where('id', '<', filter.beforeId)
      return (await read.all(rows.orderBy('id', 'desc').limit(max))).map(toDelivery)
    },
    deliveryCountsOf: async (channelIds) => {
      const counts = builder
        .selectFrom('delivery')
        .select(({ fn }) => ['channel_id', 'status', fn.countAll<number>().as('messages')])
        .where('channel_id', 'in', channelIds)
        .where('status', 'in', ['sent', 'failed'])
        .where('kind', '!=', 'test')
        .groupBy(['channel_id', 'status'])
      const found = new Map<number, { sent: number; failed: number }>()
      for (const { channel_id, status, messages } of channelIds.length > 0 ? await read.all(counts) : []) {
        const before = found.get(channel_id ?? 0) ?? { sent: 0, failed: 0 }
        found.set(channel_id ?? 0, { ...before, [status]: messages })
      }
      return found
    },
    deliveryById: async (id) => {
      const row = await write.get(all().where('id', '=', id))
      return row && toDelivery(row)
    },
  }
}
