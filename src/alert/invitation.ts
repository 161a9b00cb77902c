import type { Organization, Person, Role } from '../store/meta/meta.ts'
import { html, line } from './message/message.ts'
import type { Mail } from './send/mailer.ts'

/** Builds the invitation mail with its link. Names are user input: one line each, never markup. */
export function invitationMail(invited: {
  to: string
  by: Person
  organization: Organization
  role: Role
  link: string
  expiresMs: number
}): Omit<Mail, 'messageId'> {
  const who = line(invited.by.name || invited.by.email, 80)
  const where = line(invited.organization.name, 64)
  const until = new Date(invited.expiresMs).toISOString().slice(0, 16).replace('T', ' ')
  const first = `${who} invites you to ${where} on Mishap, as ${invited.role}.`
  const last = `The link works once, until ${until} UTC. If you did not expect this mail, ignore it.`
  const paragraph = (inner: string) => `<p style="font:14px/1.5 sans-serif;margin:0 0 16px">${inner}</p>`
  return {
    to: invited.to,
    subject: `Invitation to ${where} on Mishap`,
    text: `${first}\n\n${invited.link}\n\n${last}\n`,
    html: [
      paragraph(html(first)),
      paragraph(`<a href="${html(invited.link)}">${html(invited.link)}</a>`),
      paragraph(html(last)),
    ].join('\n'),
  }
}
