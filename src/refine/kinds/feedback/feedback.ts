import type { FeedbackRow } from '../../../store/meta/issues/feedback.ts'
import type { ProjectSettings } from '../../../store/meta/meta.ts'
import { normalizeId } from '../../../wire/ids.ts'
import type { Tools } from '../../pipeline/context.ts'
import { type Loose, object, own, scalar } from '../../pipeline/value.ts'
import { makeRules, rulesKey } from '../../scrub/rules.ts'
import { scrubTree } from '../../scrub/scrub.ts'

/** Limits in characters. The message limit is that of the protocol. An e-mail address has at most 254. */
const bounds = { message: 4096, name: 128, email: 254, url: 2048, environment: 64, release: 200 } as const

/** The place of the item. Ids are 32 lower-case hex digits. `eventId`: the envelope's, if any. Time in ms. */
type FeedbackLocation = {
  projectId: number
  feedbackId: string
  eventId: string | undefined
  receivedMs: number
  settings: ProjectSettings
  tools: Tools
}

/** A text without characters that reverse or end it on a screen. Keeps line breaks and tabs. Cut at `max`. */
function plain(value: unknown, max: number): string {
  const text = scalar(value) ?? ''
  return [
    ...text
      .slice(0, max * 4)
      .toWellFormed()
      .replace(/\r\n?/g, '\n')
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '')
      .trim(),
  ]
    .slice(0, max)
    .join('')
}

/** A URL that is safe in a link: http(s) only, '' for anything else. */
function address(value: unknown): string {
  const text = plain(value, bounds.url)
  return /^https?:\/\/\S+$/i.test(text) ? text : ''
}

/** Key names decide like in an event: a project with the sensitive field `email` gets no address. */
function scrubbed(row: FeedbackRow, { settings, tools }: FeedbackLocation): FeedbackRow {
  const key = rulesKey(settings)
  const rules = tools.rules.get(key) ?? makeRules(settings)
  tools.rules.set(key, rules)
  const texts: Loose = { message: row.message, name: row.name, email: row.email, url: row.url }
  scrubTree(texts, rules, undefined)
  return {
    ...row,
    message: scalar(texts.message) ?? '',
    name: scalar(texts.name) ?? '',
    email: scalar(texts.email) ?? '',
    url: scalar(texts.url) ?? '',
  }
}

/** Reads a `user_report` item: a comment on an error. Undefined without a comment or an event. */
export function reportOf(item: Loose, location: FeedbackLocation): FeedbackRow | undefined {
  const eventId = normalizeId(own(item, 'event_id')) ?? location.eventId
  const message = plain(own(item, 'comments'), bounds.message)
  if (!eventId || message === '') return undefined
  return scrubbed(
    {
      projectId: location.projectId,
      feedbackId: location.feedbackId,
      eventId,
      kind: 'report',
      name: plain(own(item, 'name'), bounds.name),
      email: plain(own(item, 'email'), bounds.email),
      message,
      url: '',
      replayId: '',
      environment: '',
      release: '',
      receivedMs: location.receivedMs,
    },
    location,
  )
}

/** Reads a `feedback` item: an event with the text in `contexts.feedback`. Undefined without a text. */
export function feedbackOf(item: Loose, location: FeedbackLocation): FeedbackRow | undefined {
  const sentFeedback = object(own(object(own(item, 'contexts')) ?? {}, 'feedback'))
  const message = sentFeedback && plain(own(sentFeedback, 'message'), bounds.message)
  if (!sentFeedback || !message) return undefined
  const user = object(own(item, 'user')) ?? {}
  return scrubbed(
    {
      projectId: location.projectId,
      feedbackId: location.feedbackId,
      eventId: normalizeId(own(sentFeedback, 'associated_event_id')) ?? '',
      kind: 'feedback',
      name: plain(own(sentFeedback, 'name') ?? own(user, 'username'), bounds.name),
      email: plain(own(sentFeedback, 'contact_email') ?? own(user, 'email'), bounds.email),
      message,
      url: address(own(sentFeedback, 'url')),
      replayId: normalizeId(own(sentFeedback, 'replay_id')) ?? '',
      environment: plain(own(item, 'environment'), bounds.environment),
      release: plain(own(item, 'release'), bounds.release),
      receivedMs: location.receivedMs,
    },
    location,
  )
}
