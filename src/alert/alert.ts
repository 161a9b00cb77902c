import { randomUUID } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import type { Observe } from '../base/observe.ts'
import type { Outgoing } from '../base/outgoing.ts'
import { filterAsync } from '../base/sequence.ts'
import type { EventStore } from '../store/events/event-store.ts'
import type { AlertDue, AttemptEnd, Channel, Delivery } from '../store/meta/issues/alerts.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import { configOf } from './channel.ts'
import { createConfirmations } from './confirm.ts'
import { decide, recentMs } from './decide.ts'
import { type AlertedIssue, builtInMessage, line, type Message } from './message/message.ts'
import { createPush, type Push, pushRecipientsIn } from './push.ts'
import { recipientsIn } from './recipients.ts'
import { createMailer, type Mail, type Mailer, type SmtpSettings } from './send/mailer.ts'
import { DeliveryRefused, type Sent } from './send/transport.ts'
import { sendVia } from './send/transports.ts'
import { settleSkew } from './skew.ts'

export type AlertDeps = {
  clock: Clock
  observe: Observe
  meta: MetaStore
  /** Counts the events of a skew since it began. */
  events: Pick<EventStore, 'countsOf'>
  outgoing: Outgoing
  /** Tests pass their own. */
  mailer?: Mailer
  /** Origin of the web interface, without trailing slash. */
  url: string
  /** Decrypts a sealed channel value. Throws if the key has changed. */
  open(sealed: string): string
  seal(text: string): string
  /** undefined: no mail server is configured. */
  smtp(): Promise<SmtpSettings | undefined>
}

type Wired = AlertDeps & { mailer: Mailer; push: Push }

/** Notifications of the app process. */
export type Alerts = {
  /** Decides and sends due notifications. Returns at once and never runs twice at the same time. */
  kick(): void
  /** Like `kick`, for the jobs table: resolves with the number of attempts when nothing is left to do now. */
  run(): Promise<Record<string, unknown>>
  /** Sends a test message now. Never throws: the delivery has the result. */
  test(channel: Channel): Promise<Delivery[]>
  /** Sends one mail now. Returns undefined on success, else the reason ('' without a mail server). */
  mail(mail: Omit<Mail, 'messageId'>): Promise<string | undefined>
  /**
   * Sends confirmation mails to a channel's addresses outside the organization: those not asked yet, or only `only`.
   * Never throws: recipientsIn has the result.
   */
  askToConfirm(channel: Channel, only?: string): Promise<void>
  /** The public key that browsers subscribe to push messages with. */
  pushKey(): Promise<string>
  stop(): void
}

/** Delays in ms after each failed attempt. After the last one the delivery has failed: 7 h in total. */
export const retryMs = [10_000, 30_000, 120_000, 600_000, 3_600_000, 21_600_000] as const
const dueMax = 1000
const sendingMax = 50
/** Attempts run in parallel, so that one slow channel does not delay the others. */
const atOnce = 4

/** Returns the current recipients: '' for a chat, browsers, or mail addresses that need no confirmation. */
async function recipientsOf(deps: AlertDeps, channel: Channel): Promise<string[]> {
  if (channel.kind === 'push') return pushRecipientsIn(deps, channel.organizationId)
  if (channel.kind !== 'email') return ['']
  if (!(await deps.smtp())) return []
  return (await recipientsIn(deps, channel))
    .filter((recipient) => recipient.state !== 'unconfirmed')
    .map((recipient) => recipient.address)
}

/** Returns the current recipients; none, with a warning, if the channel cannot be decrypted. */
async function openRecipientsOf(deps: AlertDeps, channel: Channel): Promise<string[]> {
  try {
    return await recipientsOf(deps, channel)
  } catch (error) {
    deps.observe.warn({ channel: channel.id, error: String(error).slice(0, 200) }, 'a channel could not be opened')
    return []
  }
}

/** Returns whether a delayed change is obsolete because somebody has triaged the issue since. */
async function isOver(meta: MetaStore, { kind, issueId }: AlertDue): Promise<boolean> {
  return kind !== 'new' && ((await meta.issues.issueById(issueId))?.status ?? 'unresolved') !== 'unresolved'
}

async function decideDue(deps: AlertDeps): Promise<number> {
  const { meta, clock } = deps
  const pending = await meta.alerts.alertsDue(dueMax, clock.now())
  const over = await filterAsync(pending, (alert) => isOver(meta, alert))
  const { due, expiredIds: goneIds } = await settleSkew(
    deps,
    pending.filter((alert) => !over.includes(alert)),
  )
  goneIds.push(...over.map((alert) => alert.id))
  if (due.length + goneIds.length === 0) return 0
  const channels: Channel[] = []
  for (const id of new Set(due.map((alert) => alert.organizationId)))
    channels.push(...(await meta.alerts.channelsOf(id)))
  const nowMs = clock.now()
  const recent = channels.length
    ? await meta.alerts.deliveriesSince(
        channels.map((channel) => channel.id),
        nowMs - recentMs,
      )
    : []
  const recipients = new Map<number, string[]>()
  for (const channel of channels) recipients.set(channel.id, await openRecipientsOf(deps, channel))
  const { deliveries, doneIds, deferred } = decide({
    due,
    channels,
    recent,
    recipientsOf: (channel) => recipients.get(channel.id) ?? [],
    nowMs,
  })
  const ended = [...doneIds, ...goneIds]
  if (deliveries.length || ended.length || deferred.length)
    await meta.alerts.decideAlerts(deliveries, ended, nowMs, deferred)
  return ended.length + deferred.length
}

/** Returns the content of a delivery; undefined if all of its objects are gone. */
async function messageOf(deps: AlertDeps, delivery: Delivery, channel: Channel): Promise<Message | undefined> {
  const { meta, url } = deps
  const organization = await meta.organizations.organizationById(channel.organizationId)
  if (!organization) return undefined
  const seen = new Set<number>()
  const alertedIssues: AlertedIssue[] = []
  for (const { issueId, kind, eventId } of delivery.items) {
    const issue = await meta.issues.issueById(issueId)
    const project = issue && (await meta.projects.projectById(issue.projectId))
    // Report issues that were merged since only once.
    if (!issue || !project || seen.has(issue.id)) continue
    seen.add(issue.id)
    alertedIssues.push({ issue, project, kind, eventId })
  }
  if (alertedIssues.length === 0 && delivery.kind !== 'test') return undefined
  return builtInMessage({
    id: `delivery-${delivery.id}`,
    organization,
    url,
    kind: delivery.kind,
    alerts: alertedIssues,
    more: delivery.more,
  })
}

/** Sends a delivery and returns what the service said; undefined if all objects of the delivery are gone. */
async function send(deps: Wired, delivery: Delivery, channel: Channel): Promise<Sent | undefined> {
  const message = await messageOf(deps, delivery, channel)
  if (!message) return undefined
  const outbound = { message, deliveryId: delivery.id, recipient: delivery.recipient }
  return sendVia(channel.kind, deps, configOf(deps, channel), outbound)
}

/** Returns the result of a failed attempt. Tests are not retried: a user is waiting for the result. */
function failureOf(delivery: Delivery, thrown: unknown, nowMs: number): AttemptEnd {
  const error = line(thrown instanceof Error ? thrown.message : String(thrown), 400)
  const askedMs = thrown instanceof DeliveryRefused ? thrown.retryAfterMs : undefined
  const paused = askedMs === undefined ? {} : { pausedUntilMs: nowMs + askedMs }
  const pause = delivery.kind === 'test' ? undefined : retryMs[delivery.attempts]
  if (pause === undefined) return { status: 'failed', error, ...paused }
  return { status: 'queued', error, nextMs: nowMs + Math.max(pause, askedMs ?? 0), ...paused }
}

/** Makes one attempt and records the result. */
async function attempt(deps: Wired, delivery: Delivery): Promise<void> {
  const { meta, clock } = deps
  const channel = await meta.alerts.channelById(delivery.channelId)
  if (!channel) return
  try {
    const sent = await send(deps, delivery, channel)
    const paused = sent?.pauseMs === undefined ? {} : { pausedUntilMs: clock.now() + sent.pauseMs }
    const end: AttemptEnd = { status: 'sent', answer: line(sent?.answer ?? '', 400), ...paused }
    await meta.alerts.recordDelivery(delivery.id, end, clock.now())
  } catch (thrown) {
    const end = failureOf(delivery, thrown, clock.now())
    await meta.alerts.recordDelivery(delivery.id, end, clock.now())
    deps.observe.warn(
      { channel: channel.id, delivery: delivery.id, status: end.status },
      'a notification was not delivered',
    )
  }
}

async function attemptAll(deps: Wired, deliveries: readonly Delivery[]): Promise<void> {
  const waiting = [...deliveries]
  const lane = async () => {
    for (let delivery = waiting.shift(); delivery; delivery = waiting.shift()) await attempt(deps, delivery)
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
}

/** Sends one mail now. Returns undefined on success, else the reason ('' without a mail server). */
async function mailNow(deps: Wired, mail: Omit<Mail, 'messageId'>): Promise<string | undefined> {
  const smtp = await deps.smtp()
  if (!smtp) return ''
  try {
    const messageId = `<${randomUUID()}@${new URL(deps.url).hostname}>`
    await deps.mailer.send(smtp, { ...mail, messageId })
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 300) : 'The mail was not sent.'
  }
}

/** Creates notifications: decided from the outbox of commits, sent with retries. Only a crash can send one twice. */
export function createAlerts(options: AlertDeps): Alerts {
  const push = createPush(options)
  const deps: Wired = { ...options, mailer: options.mailer ?? createMailer(), push }
  const mail: Alerts['mail'] = (message) => mailNow(deps, message)
  const state = { running: undefined as Promise<number> | undefined, rerun: false, stopped: false }
  const round = async (): Promise<number> => {
    let tries = 0
    do {
      state.rerun = false
      for (;;) {
        const decided = await decideDue(deps)
        const queued = await deps.meta.alerts.deliveriesQueued(deps.clock.now(), sendingMax)
        if (state.stopped || (decided === 0 && queued.length === 0)) break
        tries += queued.length
        await attemptAll(deps, queued)
      }
    } while (state.rerun && !state.stopped)
    return tries
  }
  const run = (): Promise<number> => {
    if (state.running) {
      state.rerun = true
      return state.running
    }
    state.running = round().finally(() => {
      state.running = undefined
    })
    return state.running
  }
  return {
    kick: () => {
      run().catch((error: unknown) =>
        deps.observe.error({ error: String(error).slice(0, 300) }, 'notifications failed'),
      )
    },
    run: async () => ({ tries: await run() }),
    test: async (channel) => {
      const queued = await deps.meta.alerts.queueTest(channel.id, await recipientsOf(deps, channel), deps.clock.now())
      await attemptAll(deps, queued)
      const attempted: Delivery[] = []
      for (const { id } of queued) {
        const delivery = await deps.meta.alerts.deliveryById(id)
        if (delivery) attempted.push(delivery)
      }
      return attempted
    },
    mail,
    pushKey: push.publicKey,
    askToConfirm: createConfirmations(deps, mail),
    stop: () => {
      state.stopped = true
      deps.mailer.close()
    },
  }
}
