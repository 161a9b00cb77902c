import type { AlertedIssue, Message } from '../message/message.ts'
import { issueUrl, kindWord, line, unlinked } from '../message/message.ts'

/** An issue of a message for a chat. */
type ChatItem = { title: string; url: string; details: string[] }

/** A message as plain lines, cleaned of control characters and not escaped. Each kind escapes them in its own way. */
export type ChatParts = {
  headline: string
  /** Our own address that the headline leads to. */
  open: string
  /** What changed, then facts of the only issue. */
  lines: string[]
  /** Issues of a message about several. */
  items: ChatItem[]
  /** 'and 3 more', or ''. */
  more: string
  /** Our own signed address that acknowledges an incident. */
  acknowledge: string | undefined
}

const percent = (share: number): string => `${Math.round(share * 100)}%`

function factLines(facts: NonNullable<AlertedIssue['facts']> = {}): string[] {
  const { users, sourceLine, since, common = [], browserSide, advice } = facts
  const suspects = (since?.suspects ?? []).slice(0, 3).map(({ id, message, author }) => {
    return `${id.slice(0, 7)} ${line(message, 80)} (${line(author, 40)})`
  })
  const values = common.slice(0, 3).map(({ key, value, share }) => `${key} ${line(value, 60)} ${percent(share)}`)
  return [
    sourceLine ? `${sourceLine.file}:${sourceLine.line} ${sourceLine.text}` : '',
    users === undefined ? '' : `${users} ${users === 1 ? 'user' : 'users'}`,
    since ? `since ${since.release}${suspects.length ? `, suspect commits: ${suspects.join('; ')}` : ''}` : '',
    values.length ? `more often: ${values.join(', ')}` : '',
    browserSide ? `${browserSide.events} browser errors of ${browserSide.people} people follow from it` : '',
    advice ?? '',
  ]
}

function detailsOf({ issue, project, facts }: AlertedIssue): string[] {
  const where = [project.slug, issue.lastRelease, `${issue.count} ${issue.count === 1 ? 'event' : 'events'}`]
  return [issue.culprit, where.filter(Boolean).join(' · '), ...factLines(facts)]
    .map((text) => line(text))
    .filter((text) => text !== '')
}

/** Returns the parts of a message. */
export function chatParts(message: Message): ChatParts {
  const { alerts, links, more } = message
  const [only] = alerts.length === 1 && message.kind !== 'summary' ? alerts : []
  return {
    headline: line(message.headline, 300),
    open: links.open,
    lines: [...(message.sentence ? [line(message.sentence, 500)] : []), ...(only ? detailsOf(only) : [])],
    items: only
      ? []
      : alerts.map((alert) => ({
          title: line(`${kindWord(alert.kind)} ${alert.issue.shortId}: ${alert.issue.title}`),
          url: issueUrl(message, alert.issue),
          details: detailsOf(alert),
        })),
    more: more > 0 ? `and ${more} more` : '',
    acknowledge: links.acknowledge,
  }
}

/** Returns the key under which an on-call service joins the messages of one incident, or of one issue. */
export function incidentKey(message: Message): string {
  const [first] = message.alerts
  const what =
    message.incidentId !== null
      ? `incident-${message.incidentId}`
      : message.kind === 'issue' && first
        ? `issue-${first.issue.id}`
        : message.id
  return `mishap-${new URL(message.url).hostname}-${what}`
}

/**
 * Breaks all that chats interpret in plain text: mentions, links in brackets and bare links. A space without width
 * splits each after its first character, so the text looks the same.
 */
export const inert = (text: string): string =>
  unlinked(text)
    .replace(/[@<](?=\S)/g, '$&\u200b')
    .replace(/\]\(/g, ']\u200b(')

/** Escapes Markdown, for chats whose parser knows backslashes. */
const markdownText = (text: string): string => inert(text.replace(/[\\`*_~|[\]#>]/g, '\\$&'))

/** Returns a message as Markdown: one link for each of our own pages, and event texts without any effect. */
export function markdownOf(parts: ChatParts): string {
  const link = (text: string, url: string) => `[${markdownText(text)}](${url})`
  return [
    `**${link(parts.headline, parts.open)}**`,
    ...parts.lines.map(markdownText),
    ...parts.items.flatMap((item) => [`- ${link(item.title, item.url)}`, ...item.details.map(markdownText)]),
    parts.more,
    parts.acknowledge ? link('Acknowledge', parts.acknowledge) : '',
  ]
    .filter(Boolean)
    .join('\n')
}

/** Returns a message as plain text with addresses. */
export function plainOf(parts: ChatParts): string {
  return [
    ...parts.lines,
    ...parts.items.flatMap((item) => [item.title, ...item.details.map((detail) => `  ${detail}`), `  ${item.url}`]),
    parts.more,
  ]
    .filter(Boolean)
    .join('\n')
}
