import type { AlertKind } from '../store/meta/issues/alerts.ts'
import type { Issue, Organization, Project } from '../store/meta/meta.ts'

/** An issue in a message, with its project. */
export type AlertedIssue = { issue: Issue; project: Project; kind: AlertKind; eventId: string }

/** A message before it is formatted for a channel. Event texts are hostile and must stay data. */
export type Message = {
  organization: Organization
  kind: 'issue' | 'summary' | 'test'
  alerts: AlertedIssue[]
  /** Number of issues beyond `alerts`. */
  more: number
  /** Origin of the web interface, without trailing slash. */
  url: string
}

const titleMax = 200

/** Returns one line of at most `max` characters, without control characters and bidirectional marks. */
export function line(text: string, max = titleMax): string {
  const clean = text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ').trim()
  const characters = [...clean]
  return characters.length > max ? `${characters.slice(0, max - 1).join('')}…` : clean
}

const htmlEscapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
/** Escapes text for HTML. */
export const html = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => htmlEscapes[character] ?? character)
/** Escapes the only three characters that Slack interprets. */
const mrkdwn = (text: string): string => text.replace(/[&<>]/g, (character) => htmlEscapes[character] ?? character)

/** Returns the address of the issue page. */
export const issueUrl = (message: Pick<Message, 'url' | 'organization'>, issue: Pick<Issue, 'id'>): string =>
  `${message.url}/o/${message.organization.slug}/issues/${issue.id}`

const kindWords = { new: 'New issue', regression: 'Regression', escalation: 'Escalating' } as const
const kindWord = (kind: AlertKind): string => kindWords[kind]
const label = ({ issue, project }: AlertedIssue): string =>
  [project.slug, issue.lastRelease]
    .filter(Boolean)
    .map((part) => line(part, 80))
    .join(' · ')

/** Returns the subject of a mail or headline of a chat message. */
export function subjectOf(message: Message): string {
  const [first] = message.alerts
  if (message.kind === 'test' || !first) return `Mishap: a test message from ${line(message.organization.name, 64)}`
  if (message.kind === 'summary')
    return `${message.alerts.length + message.more} more issues in ${line(message.organization.name, 64)}`
  return `${kindWord(first.kind)} ${first.issue.shortId}: ${line(first.issue.title, 120)}`
}

const testSentence = 'Notifications reach this channel.'
const summarySentence = 'Too many issues are new at once for single messages. New since the last message:'

function textItem(message: Message, alert: AlertedIssue): string {
  const { issue } = alert
  return [
    `${kindWord(alert.kind)} ${issue.shortId}: ${line(issue.title)}`,
    issue.culprit ? `  in ${line(issue.culprit)}` : '',
    `  ${label(alert)} · ${issue.count} ${issue.count === 1 ? 'event' : 'events'}`,
    `  ${issueUrl(message, issue)}`,
  ]
    .filter(Boolean)
    .join('\n')
}

const moreSentence = (message: Message): string[] =>
  message.more > 0 ? [`and ${message.more} more: ${message.url}/o/${message.organization.slug}/issues`] : []

/** Returns the plain text of a mail. */
export function textOf(message: Message): string {
  if (message.kind === 'test') return `${testSentence}\n`
  const items = message.alerts.map((alert) => textItem(message, alert))
  return `${[...(message.kind === 'summary' ? [summarySentence] : []), ...items, ...moreSentence(message)].join('\n\n')}\n`
}

/** Returns the HTML of a mail: one link per issue, no images, no external content. */
export function htmlOf(message: Message): string {
  const paragraph = (inner: string) => `<p style="font:14px/1.5 sans-serif;margin:0 0 16px">${inner}</p>`
  if (message.kind === 'test') return paragraph(testSentence)
  const items = message.alerts.map((alert) => {
    const { issue } = alert
    const head = `<a href="${html(issueUrl(message, issue))}">${html(`${issue.shortId}: ${line(issue.title)}`)}</a>`
    return paragraph(
      `${html(kindWord(alert.kind))} ${head}<br>${issue.culprit ? `${html(line(issue.culprit))}<br>` : ''}${html(label(alert))} · ${issue.count} ${issue.count === 1 ? 'event' : 'events'}`,
    )
  })
  return [
    ...(message.kind === 'summary' ? [paragraph(summarySentence)] : []),
    ...items,
    ...moreSentence(message).map((sentence) => paragraph(html(sentence))),
  ].join('\n')
}

/** Returns the body for webhooks of Slack, Mattermost and Rocket.Chat. `blocks` is for clients that support it. */
export function slackOf(message: Message): object {
  const subject = subjectOf(message)
  if (message.kind === 'test') return { text: mrkdwn(`${subject}. ${testSentence}`) }
  const sections = message.alerts.map((alert) => {
    const { issue } = alert
    const head = `<${issueUrl(message, issue)}|${mrkdwn(`${issue.shortId}: ${line(issue.title)}`).replaceAll('|', '¦')}>`
    const rows = [`*${kindWord(alert.kind)}* ${head}`, mrkdwn(line(issue.culprit)), mrkdwn(label(alert))]
    return { type: 'section', text: { type: 'mrkdwn', text: rows.filter(Boolean).join('\n').slice(0, 2900) } }
  })
  const more = moreSentence(message).map((sentence) => ({
    type: 'section',
    text: { type: 'mrkdwn', text: mrkdwn(sentence) },
  }))
  return { text: mrkdwn(subject), blocks: [...sections, ...more] }
}

/** Returns the generic webhook body (see docs/notifications.md). `deliveryId` is the same in every attempt. */
export function webhookOf(message: Message, deliveryId: number): object {
  return {
    version: 1,
    delivery: deliveryId,
    kind: message.kind,
    organization: { id: String(message.organization.id), slug: message.organization.slug },
    issues: message.alerts.map(({ issue, project, kind, eventId }) => ({
      change: kind,
      id: String(issue.id),
      shortId: issue.shortId,
      title: issue.title,
      culprit: issue.culprit,
      level: issue.level,
      project: { id: String(project.id), slug: project.slug },
      release: issue.lastRelease,
      eventId,
      count: issue.count,
      firstSeen: new Date(issue.firstSeenMs).toISOString(),
      lastSeen: new Date(issue.lastSeenMs).toISOString(),
      url: issueUrl(message, issue),
    })),
    more: message.more,
  }
}
