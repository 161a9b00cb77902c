import type { Person } from '../store/meta/meta.ts'
import { renderMail } from './mail/document.ts'
import { line } from './message/message.ts'
import type { Mail } from './send/mailer.ts'

/** Builds the mail with a password reset link. */
export function resetMail({
  to,
  link,
  minutes,
}: {
  to: Person
  link: string
  minutes: number
}): Omit<Mail, 'messageId'> {
  const first = `Somebody requested a new Mishap password for ${line(to.email, 254)}. Set it here:`
  const last = `The link works once, within ${minutes} minutes. If it was not you, ignore this mail: your password stays the same.`
  return {
    to: to.email,
    ...renderMail({
      subject: 'Set a new Mishap password',
      level: 'none',
      blocks: [
        { kind: 'text', text: first },
        { kind: 'button', label: 'Set a new password', href: link },
        { kind: 'text', text: last },
      ],
      footer: [],
    }),
  }
}
