import type { Activity, Issue, Organization, Person } from '../store/meta/meta.ts'
import { renderMail } from './mail/document.ts'
import { issueUrl, line, type Message } from './message/message.ts'
import { unsubscribePage } from './personal.ts'
import type { Mail } from './send/mailer.ts'

const textMax = 2_000
const sentences = {
  mention: 'mentioned you in a comment on',
  comment: 'commented on',
  assigned: 'assigned to you:',
} as const

type NoticeParts = {
  to: Person
  /** Undefined: a rule. */
  by: Person | undefined
  organization: Organization
  issue: Issue
  activity: Activity
  kind: keyof typeof sentences
  url: string
  /** Ends this kind of mail by one POST. */
  unsubscribe: string
}

function partsOf(notice: NoticeParts): { first: string; comment: string } {
  const { issue, activity, kind } = notice
  const who = notice.by ? line(notice.by.name || notice.by.email, 80) : 'An ownership rule'
  const what = `${issue.shortId}: ${line(issue.title, 120)}`
  // A bulk change is reported once (store/meta/issues/bulk.ts).
  const { issues } = activity.data
  const isMany = kind === 'assigned' && typeof issues === 'number' && issues > 1
  const first = isMany
    ? `${who} assigned ${issues} issues to you, among them ${what}`
    : `${who} ${sentences[kind]} ${what}`
  const comment = typeof activity.data.text === 'string' ? activity.data.text.slice(0, textMax) : ''
  return { first, comment }
}

/** Builds the push message about a comment or assignment. */
export function noticePush(notice: NoticeParts & { id: number }): Message {
  const { first, comment } = partsOf(notice)
  return {
    id: `notice-${notice.id}`,
    organization: notice.organization,
    url: notice.url,
    kind: 'issue',
    change: 'start',
    level: 'info',
    rule: null,
    incidentId: null,
    headline: line(first, 300),
    sentence: line(comment, 300),
    measure: null,
    alerts: [],
    more: 0,
    links: { open: issueUrl(notice, notice.issue) },
  }
}

/** Builds the mail about a comment or assignment. Texts are from users and events: never markup. */
export function noticeMail(notice: NoticeParts): Omit<Mail, 'messageId'> {
  const { first, comment } = partsOf(notice)
  const link = issueUrl(notice, notice.issue)
  const quoted = comment.split('\n').map((commentLine) => line(commentLine, textMax))
  const mail = renderMail({
    subject: first,
    level: 'none',
    blocks: [
      ...(comment ? [{ kind: 'quote', lines: quoted } as const] : []),
      { kind: 'button', label: 'Open the issue', href: link },
    ],
    footer: [],
    unsubscribe: unsubscribePage(notice.unsubscribe),
  })
  return { to: notice.to.email, ...mail, text: `${first}\n\n${mail.text}`, unsubscribe: notice.unsubscribe }
}
