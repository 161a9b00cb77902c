import { randomUUID } from 'node:crypto'
import type { Channel, Delivery } from '../store/meta/issues/alerts.ts'
import { attemptAll, type Wired } from './attempt.ts'
import { createConfirmations } from './confirm.ts'
import type { AlertDeps } from './deps.ts'
import type { Message } from './message/message.ts'
import { browserOf } from './person-receivers.ts'
import { createPush } from './push.ts'
import { decideDue } from './question.ts'
import { createAuthors, recipientsOf } from './receivers.ts'
import { createMailer, type Mail } from './send/mailer.ts'
import { sendVia } from './send/transports.ts'
import { answerSlack, createSlackPeople, type SlackPeople } from './slack.ts'

/** A mail without its Message-ID. `id`: the same in every attempt, so that clients show a repeat once. */
type UnsentMail = Omit<Mail, 'messageId'> & { id?: string }

/** Notifications of the app process. */
export type Alerts = {
  /** Decides and sends due notifications. Returns at once and never runs twice at the same time. */
  kick(): void
  /** Like `kick`, for the jobs table: resolves with the number of attempts when nothing is left to do now. */
  run(): Promise<Record<string, unknown>>
  /** Sends a test message now. Never throws: the delivery has the result. */
  test(channel: Channel): Promise<Delivery[]>
  /** Sends one mail now. Returns undefined on success, else the reason ('' without a mail server). */
  mail(mail: UnsentMail): Promise<string | undefined>
  /** Sends one message to a browser of a person (`push:4`). Returns undefined if it is done, else the reason. */
  push(recipient: string, message: Message): Promise<string | undefined>
  /**
   * Sends confirmation mails to a channel's addresses outside the organization: those not asked yet, or only `only`.
   * Never throws: recipientsIn has the result.
   */
  askToConfirm(channel: Channel, only?: string): Promise<void>
  /** Finds the e-mail addresses of Slack users. Throws the errors of Outgoing. */
  slackPeople: SlackPeople
  /** Answers a click in Slack. Returns false if Slack could not be reached: try again. */
  answerSlack(responseUrl: string, text: string): Promise<boolean>
  /** The public key that browsers subscribe to push messages with. */
  pushKey(): Promise<string>
  stop(): void
}

const sendingMax = 50

/** Sends one mail now. Returns undefined on success, else the reason ('' without a mail server). */
async function mailNow(deps: Wired, mail: UnsentMail): Promise<string | undefined> {
  const smtp = await deps.smtp()
  if (!smtp) return ''
  try {
    const messageId = `<${mail.id ?? randomUUID()}@${new URL(deps.url).hostname}>`
    await deps.mailer.send(smtp, { ...mail, messageId })
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 300) : 'The mail was not sent.'
  }
}

/** Sends one push message now. Returns undefined if it was sent or the browser is gone, else the reason. */
async function pushNow(deps: Wired, recipient: string, message: Message): Promise<string | undefined> {
  try {
    await sendVia('push', deps, {}, { message, deliveryId: 0, recipient: String(browserOf(recipient)) })
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 300) : 'The push message was not sent.'
  }
}

/** Creates notifications: decided from the outbox of commits, sent with retries. Only a crash can send one twice. */
export function createAlerts(options: AlertDeps): Alerts {
  const push = createPush(options)
  const deps: Wired = { ...options, mailer: options.mailer ?? createMailer(), push }
  const mail: Alerts['mail'] = (message) => mailNow(deps, message)
  const decisions = { lastTickMs: 0, authors: createAuthors(deps) }
  const state = { running: undefined as Promise<number> | undefined, rerun: false, stopped: false }
  const round = async (): Promise<number> => {
    let tries = 0
    const failed: unknown[] = []
    do {
      state.rerun = false
      for (;;) {
        const { decided, failures } = await decideDue(deps, decisions)
        failed.push(...failures.slice(0, 1))
        const queued = await deps.meta.alerts.deliveriesQueued(deps.clock.now(), sendingMax)
        if (state.stopped || (decided === 0 && queued.length === 0)) break
        tries += queued.length
        await attemptAll(deps, queued)
      }
    } while (state.rerun && !state.stopped)
    // What could be sent was sent. The job reports the failure.
    if (failed.length > 0) throw failed[0]
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
    push: (recipient, message) => pushNow(deps, recipient, message),
    pushKey: push.publicKey,
    slackPeople: createSlackPeople(deps.outgoing),
    answerSlack: (responseUrl, text) =>
      answerSlack(deps.outgoing, responseUrl, text).catch((error: unknown) => {
        deps.observe.warn({ error: String(error).slice(0, 200) }, 'a click in Slack got no answer')
        return false
      }),
    askToConfirm: createConfirmations(deps, mail),
    stop: () => {
      state.stopped = true
      deps.mailer.close()
    },
  }
}
