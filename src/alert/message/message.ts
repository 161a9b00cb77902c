import type { AlertKind } from '../../store/meta/issues/alerts.ts'
import type { Issue, Organization, Project } from '../../store/meta/meta.ts'

/** Facts of an issue that help to act. Each is absent if it is unknown, or if it was not ready in time. */
export type IssueFacts = {
  /** Distinct users of the issue. */
  users?: number
  /** The line of the culprit, source-mapped. `text` is the source, '' if it is unknown. */
  sourceLine?: { file: string; line: number; text: string }
  /** The release since which it happens. `suspects`: commits that changed a frame, most likely first. */
  since?: { release: string; suspects: { id: string; message: string; author: string }[] }
  /** Values that this issue has more often than other errors. `share`: 0 to 1, of the issue's events. */
  common?: { key: string; value: string; share: number }[]
  /** Browser errors that this server error caused. */
  browserSide?: { events: number; people: number }
  /** What to do: one sentence of the diagnostics. */
  advice?: string
}

/** An issue in a message, with its project. */
export type AlertedIssue = { issue: Issue; project: Project; kind: AlertKind; eventId: string; facts?: IssueFacts }

/** What a metric rule measured. `value` and `threshold` are in `unit`; `durationMs` is set at the end of an incident. */
type Measure = {
  label: string
  value: number | null
  threshold: number | null
  unit: string
  windowMinutes: number
  durationMs: number | null
}

/** A message before it is formatted for a channel. Event texts are hostile and must stay data. */
export type Message = {
  /** The same in every attempt, so that receivers recognize a repeat: `delivery-12`. */
  id: string
  organization: Organization
  /** Origin of the web interface, without trailing slash. */
  url: string
  kind: 'issue' | 'incident' | 'summary' | 'digest' | 'report' | 'test'
  change: 'start' | 'change' | 'end'
  level: 'critical' | 'warning' | 'info' | 'ok'
  /** null: the built-in notifications. */
  rule: { id: string; name: string } | null
  incidentId: number | null
  /** One line of plain text: the subject of a mail. Already cleaned by `line`, not escaped for any format. */
  headline: string
  /** What changed, as one plain sentence; '' if the headline says all. Cleaned, not escaped. */
  sentence: string
  measure: Measure | null
  alerts: AlertedIssue[]
  /** Number of issues beyond `alerts`. */
  more: number
  /** Addresses of our own pages. `acknowledge` and `unsubscribe` are signed. */
  links: { open: string; acknowledge?: string; unsubscribe?: string }
  /** The person who acknowledged the incident, in a message that says so: on-call services stop calling people. */
  acknowledgedBy?: string
}

const titleMax = 200

/** Characters that break lines or change the direction of the text around them. */
const breaking = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g
/** Characters without width. The joiners U+200C and U+200D stay: emoji and some scripts need them. */
const invisible = /[\u00ad\u180e\u200b\u2060-\u2064\ufeff]+/g

/** Returns one line of at most `max` characters, without control characters, bidirectional marks and invisible ones. */
export function line(text: string, max = titleMax): string {
  // Code units beyond this cannot be shown. Cutting first keeps a title of megabytes cheap.
  const start = text.slice(0, max * 8).toWellFormed()
  const clean = start.replace(breaking, ' ').replace(invisible, '').trim()
  const characters = [...clean]
  return characters.length > max ? `${characters.slice(0, max - 1).join('')}…` : clean
}

/** Splits addresses in a text with a space without width, as mail programs and chats make links of bare ones. */
export const unlinked = (text: string): string => text.replace(/:\/\//g, ':\u200b//').replace(/\bwww\./gi, '$&\u200b')

const htmlEscapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
/** Escapes text for HTML. */
export const html = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => htmlEscapes[character] ?? character)

/** Returns the address of the issue page. */
export const issueUrl = (message: Pick<Message, 'url' | 'organization'>, issue: Pick<Issue, 'id'>): string =>
  `${message.url}/o/${message.organization.slug}/issues/${issue.id}`

const kindWords = { new: 'New issue', regression: 'Regression', escalation: 'Escalating', alert: 'Alert' } as const
/** Returns the words for the reason of an alert. */
export const kindWord = (kind: AlertKind): string => kindWords[kind]
const label = ({ issue, project }: AlertedIssue): string =>
  [project.slug, issue.lastRelease]
    .filter(Boolean)
    .map((part) => line(part, 80))
    .join(' · ')

/** The parts of a message from which its texts follow. */
type Parts = Pick<Message, 'id' | 'organization' | 'url' | 'alerts' | 'more'> & { kind: 'issue' | 'summary' | 'test' }

function headlineOf({ kind, organization, alerts, more }: Parts): string {
  const [first] = alerts
  if (kind === 'test' || !first) return `Mishap: a test message from ${line(organization.name, 64)}`
  if (kind === 'summary') return `${alerts.length + more} more issues in ${line(organization.name, 64)}`
  return `${kindWord(first.kind)} ${first.issue.shortId}: ${line(first.issue.title, 120)}`
}

/** Returns the message of the built-in notifications, with its texts and links. */
export function builtInMessage(parts: Parts): Message {
  const [first] = parts.alerts
  const fallback = `${parts.url}/o/${parts.organization.slug}/issues`
  return {
    ...parts,
    change: 'start',
    level: parts.kind === 'test' ? 'info' : 'warning',
    rule: null,
    incidentId: null,
    headline: headlineOf(parts),
    sentence: parts.kind === 'test' ? testSentence : parts.kind === 'summary' ? summarySentence : '',
    measure: null,
    links: { open: parts.kind === 'issue' && first ? issueUrl(parts, first.issue) : fallback },
  }
}

const testSentence = 'Notifications reach this channel.'
const summarySentence = 'Too many issues are new at once for single messages. New since the last message:'

/** Returns what is known about an issue beside its title, one line each. */
export const issueLines = (alert: AlertedIssue): string[] =>
  [
    alert.issue.culprit ? `in ${line(alert.issue.culprit)}` : '',
    `${label(alert)} · ${alert.issue.count} ${alert.issue.count === 1 ? 'event' : 'events'}`,
  ].filter(Boolean)
