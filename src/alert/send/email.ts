import { alertReasons } from '../../domain/alerts/alert-reasons.ts'
import { mailOf } from '../mail/message-mail.ts'
import type { Mail } from './mailer.ts'
import { fieldError, type Transport } from './transport.ts'

const recipientsMax = 50
const address = /^[^\s@,<>()"\\]{1,64}@[^\s@,<>()"\\]{1,189}$/

function addressesOf(text: string): string {
  const parts = [...new Set(text.split(/[\s,;]+/).filter(Boolean))]
  if (parts.length === 1 && parts[0] === 'members') return 'members'
  const wrong = parts.find((part) => !address.test(part))
  if (wrong !== undefined) throw fieldError('target', `"${wrong.slice(0, 100)}" is not an e-mail address.`)
  if (parts.length === 0 || parts.length > recipientsMax)
    throw fieldError('target', `1 to ${recipientsMax} addresses, or "members".`)
  return parts.join(',')
}

/** Mails to the members or to addresses, through the mail server of the installation. */
export const email: Transport<Pick<Mail, 'subject' | 'text' | 'html'>> = {
  kind: 'email',
  fields: [{ name: 'target', type: 'text', required: true }],
  check: (input) => ({ target: addressesOf(input.target ?? '') }),
  shown: ({ target = '' }) => target.replaceAll(',', ', '),
  format: mailOf,
  send: async (deps, config, { message, deliveryId, recipient }) => {
    const settings = await deps.smtp()
    if (!settings) throw new Error(alertReasons.no_mail_server)
    const host = new URL(deps.url).hostname
    const answer = await deps.mailer.send(settings, {
      to: recipient,
      ...email.format(message, config, deliveryId),
      // The id is the same in every attempt, so that mail clients show a duplicate only once.
      messageId: `<${message.id}@${host}>`,
      // Start, changes and end of an incident name the same root, so mail clients show one conversation.
      ...(message.incidentId === null ? {} : { references: [`<incident-${message.incidentId}@${host}>`] }),
      ...(message.links.unsubscribe ? { unsubscribe: message.links.unsubscribe } : {}),
    })
    return { answer }
  },
}
