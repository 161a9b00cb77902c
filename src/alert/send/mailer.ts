import type { Transporter } from 'nodemailer'

/** Mail server, its account and the sender address. */
export type SmtpSettings = {
  host: string
  port: number
  /** `tls`: encrypted from the start. `starttls`: upgrade required. `none`: only for this machine or network. */
  security: 'tls' | 'starttls' | 'none'
  user: string
  password: string
  from: string
}

export type Mail = {
  to: string
  subject: string
  text: string
  html: string
  messageId: string
  /** Message-IDs of earlier mails of the same incident, oldest first: mail clients show them as one conversation. */
  references?: readonly string[]
  /** The address that unsubscribes by one POST (RFC 8058). Mail clients show it as a button. */
  unsubscribe?: string
}

/** Sends mail and returns the server's answer. Throws an Error whose message names the cause, never the password. */
export type Mailer = { send(settings: SmtpSettings, mail: Mail): Promise<string>; close(): void }

/** A mail server that accepts the connection and then hangs must not block other mails for long. */
const timeoutMs = 10_000

/** Creates a mailer with one connection pool for the current settings, so that many mails need one handshake. */
export function createMailer(): Mailer {
  const cached: { key: string; transport: Transporter | undefined } = { key: '', transport: undefined }
  const transportFor = async (settings: SmtpSettings): Promise<Transporter> => {
    // Loaded with the first mail: it has 13 MB, and many installations send none.
    const { createTransport } = await import('nodemailer')
    const key = JSON.stringify(settings)
    if (cached.transport && cached.key === key) return cached.transport
    cached.transport?.close()
    cached.key = key
    cached.transport = createTransport({
      host: settings.host,
      port: settings.port,
      secure: settings.security === 'tls',
      requireTLS: settings.security === 'starttls',
      ignoreTLS: settings.security === 'none',
      ...(settings.user ? { auth: { user: settings.user, pass: settings.password } } : {}),
      pool: true,
      maxConnections: 2,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      // The mail contains event texts, which must not make the library read a file or fetch an address.
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    return cached.transport
  }
  return {
    send: async (settings, { to, subject, text, html, messageId, references = [], unsubscribe }) => {
      const sent = await (await transportFor(settings)).sendMail({
        from: settings.from,
        to: { name: '', address: to },
        subject,
        text,
        html,
        messageId,
        ...(references.length ? { references: [...references], inReplyTo: references.at(-1) } : {}),
        // Suppresses out-of-office replies (RFC 3834).
        headers: {
          'auto-submitted': 'auto-generated',
          ...(unsubscribe
            ? { 'list-unsubscribe': `<${unsubscribe}>`, 'list-unsubscribe-post': 'List-Unsubscribe=One-Click' }
            : {}),
        },
      })
      return sent.response ?? ''
    },
    close: () => cached.transport?.close(),
  }
}
