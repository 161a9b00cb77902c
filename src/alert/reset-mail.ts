import type { Person } from '../store/meta/meta.ts'
import { html, line } from './message/message.ts'
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
  const paragraph = (inner: string) => `<p style="font:14px/1.5 sans-serif;margin:0 0 16px">${inner}</p>`
  return {
    to: to.email,
    subject: 'Set a new Mishap password',
    text: `${first}\n\n${link}\n\n${last}\n`,
    html: [paragraph(html(first)), paragraph(`<a href="${html(link)}">${html(link)}</a>`), paragraph(html(last))].join(
      '\n',
    ),
  }
}
