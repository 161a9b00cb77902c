import type { Clock } from '../../base/clock.ts'
import { MishapError } from '../../base/errors.ts'
import type { Outgoing, OutgoingAnswer, OutgoingRequest } from '../../base/outgoing.ts'
import type { ChannelConfig, ChannelField, ChannelKind } from '../../domain/alerts/channel-kinds.ts'
import { line, type Message } from '../message/message.ts'
import type { Mailer, SmtpSettings } from './mailer.ts'

/** A browser that wants push messages: the address at its push service, and the keys that only it can read with. */
export type PushBrowser = { id: number; endpoint: string; p256dh: string; auth: string }

/** Browsers and the encryption of messages to them. */
export type PushDeps = {
  browser(id: number): Promise<PushBrowser | undefined>
  /** `keptS`: how long the service keeps the message for a browser that is off. */
  encrypt(
    browser: PushBrowser,
    content: string,
    options: { keptS: number; isUrgent: boolean },
  ): Promise<OutgoingRequest>
  forget(id: number): Promise<void>
}

/** What transports need to send. The heavy parts come from outside, so that screens can load the forms without them. */
export type SendDeps = {
  clock: Pick<Clock, 'now'>
  outgoing: Outgoing
  mailer: Mailer
  /** undefined: no mail server is configured. */
  smtp(): Promise<SmtpSettings | undefined>
  push: PushDeps
  /** Origin of the web interface, without trailing slash. */
  url: string
}

/** One message for one recipient: a mail address, a browser, or '' for a chat. `deliveryId` is the same in every attempt. */
export type Outbound = { message: Message; deliveryId: number; recipient: string }

/** `answer`: what the service said, as one line. `pauseMs`: how long it wants no further message. */
export type Sent = { answer: string; pauseMs?: number }

/** One kind of channel. Nothing else in the product names kinds. */
export type Transport<Body = unknown> = {
  kind: ChannelKind
  fields: readonly ChannelField[]
  /** Returns the normalized values of the form. Throws VALIDATION with fields. */
  check(input: ChannelConfig): ChannelConfig
  /** Returns what identifies the target on screens. Never contains a secret. */
  shown(config: ChannelConfig): string
  /** Whether Mishap creates a signing secret for each channel, as `secret` of the config. */
  signs?: boolean
  format(message: Message, config: ChannelConfig, deliveryId: number): Body
  /** Throws DeliveryRefused when the service refuses, and the errors of Outgoing. */
  send(deps: SendDeps, config: ChannelConfig, outbound: Outbound): Promise<Sent>
}

/** A service refused a message. `message` has its own words. `retryAfterMs`: it asked to wait at least that long. */
export class DeliveryRefused extends Error {
  readonly retryAfterMs: number | undefined
  constructor(sentence: string, retryAfterMs?: number) {
    super(sentence)
    this.retryAfterMs = retryAfterMs
  }
}

const answerMax = 300
/** A service that asks for more time than that gets one attempt every six hours, like the last retry. */
const pauseMaxMs = 6 * 3_600_000

/** Returns a pause within its bounds; undefined if the service named none. */
export const pauseOf = (ms: number): number | undefined =>
  Number.isFinite(ms) && ms > 0 ? Math.min(Math.ceil(ms), pauseMaxMs) : undefined

/** Returns the text of an answer as one line. Pages of HTML are of no help to anybody, so they are left out. */
function answerText(answer: OutgoingAnswer): string {
  const type = answer.headers['content-type'] ?? ''
  if (type !== '' && !/json|text\/plain/i.test(type)) return ''
  return line(answer.body.subarray(0, 4 * answerMax).toString('utf8'), answerMax)
}

/** Returns the pause that Retry-After asks for: seconds or a date (RFC 9110 10.2.3). */
function retryAfterOf(answer: Pick<OutgoingAnswer, 'headers'>, nowMs: number): number | undefined {
  const text = answer.headers['retry-after'] ?? ''
  return pauseOf(/^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs)
}

/** Returns the object in the body of an answer; empty if there is none. */
export function jsonOf(answer: OutgoingAnswer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(answer.body.toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** Returns the text at a path in the answer as one line; '' if there is none. */
export function textIn(answer: OutgoingAnswer, ...path: string[]): string {
  const found = path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined,
    jsonOf(answer),
  )
  return typeof found === 'string' ? line(found, answerMax) : ''
}

/** What a kind knows better than the answer's text and its Retry-After. */
type Known = { words?: string; retryMs?: number }

/** Returns the error for an answer that is no success, with the service's words and the pause that it asks for. */
export function refusalOf(answer: OutgoingAnswer, nowMs: number, { words, retryMs }: Known = {}): DeliveryRefused {
  const said = words || answerText(answer)
  const sentence = said ? `The service answered ${answer.status}: ${said}` : `The service answered ${answer.status}.`
  return new DeliveryRefused(sentence, retryAfterOf(answer, nowMs) ?? pauseOf(retryMs ?? 0))
}

type JsonPost = { url: string; body: string; headers?: Record<string, string> }

/** Posts a body of JSON and returns any answer. */
export function postJson({ outgoing }: Pick<SendDeps, 'outgoing'>, post: JsonPost): Promise<OutgoingAnswer> {
  return outgoing.send({
    method: 'POST',
    url: post.url,
    body: post.body,
    headers: {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(post.body)),
      'user-agent': 'Mishap',
      ...post.headers,
    },
  })
}

/** Returns the answer's status and text, or throws DeliveryRefused for an answer other than 2xx. */
export function acceptedAnswer(answer: OutgoingAnswer, nowMs: number): Sent {
  if (answer.status < 200 || answer.status > 299) throw refusalOf(answer, nowMs)
  return { answer: `${answer.status} ${answerText(answer)}`.trim() }
}

// ---- checks of the fields

const urlCharactersMax = 2000

/** Returns the error of one field of the form. */
export const fieldError = (name: string, sentence: string): MishapError =>
  new MishapError('VALIDATION', { fields: { [name]: [sentence] } })

/** Returns the normalized URL of a field. Each call checks again whether its address is allowed. */
export function checkedUrl(input: ChannelConfig, name = 'target'): string {
  const text = (input[name] ?? '').trim()
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || text.length > urlCharactersMax)
    throw fieldError(name, 'An http or https address without a user name or password in it.')
  return url.href
}

/** Returns only the origin of a URL, because its path is a secret. */
export const shownUrl = (text = ''): string => (URL.canParse(text) ? `${new URL(text).origin}/…` : '')
