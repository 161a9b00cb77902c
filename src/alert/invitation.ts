import type { Organization, Person, Role } from '../store/meta/meta.ts'
import { renderMail } from './mail/document.ts'
import { line } from './message/message.ts'
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
  return {
    to: invited.to,
    ...renderMail({
      subject: `Invitation to ${where} on Mishap`,
      level: 'none',
      blocks: [
        { kind: 'text', text: first },
        { kind: 'button', label: 'Accept the invitation', href: invited.link },
        { kind: 'text', text: last },
      ],
      footer: [],
    }),
  }
}
