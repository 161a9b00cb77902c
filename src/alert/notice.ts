import type { Activity, Issue, Organization, Person } from '../store/meta/meta.ts'
import { html, issueUrl, line } from './message/message.ts'
import type { Mail } from './send/mailer.ts'

const textMax = 2_000
const sentences = {
  mention: 'mentioned you in a comment on',
  comment: 'commented on',
  assigned: 'assigned to you:',
} as const

/** Builds the mail about a comment or assignment. Texts are from users and events: never markup. */
export function noticeMail(notice: {
  to: Person
  /** Undefined: a rule. */
  by: Person | undefined
  organization: Organization
  issue: Issue
  activity: Activity
  kind: keyof typeof sentences
  url: string
}): Omit<Mail, 'messageId'> {
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
  const link = issueUrl(notice, issue)
  const paragraph = (inner: string) => `<p style="font:14px/1.5 sans-serif;margin:0 0 16px">${inner}</p>`
  const quoted = comment.split('\n').map((commentLine) => line(commentLine, textMax))
  return {
    to: notice.to.email,
    subject: first,
    text: [first, ...(comment ? [quoted.map((commentLine) => `> ${commentLine}`).join('\n')] : []), `${link}\n`].join(
      '\n\n',
    ),
    html: [
      paragraph(html(first)),
      ...(comment ? [paragraph(quoted.map(html).join('<br>'))] : []),
      paragraph(`<a href="${html(link)}">${html(link)}</a>`),
    ].join('\n'),
  }
}
