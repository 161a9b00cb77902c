import { createTransport, type Transporter } from 'nodemailer'

/** How mail leaves: the server, the account on it, and who it comes from. */
export type SmtpSettings = {
  host: string
  port: number
  /** `tls`: encrypted from the start; `starttls`: must be upgraded; `none`: only for a server on this machine or network. */
  security: 'tls' | 'starttls' | 'none'
  user: string
  password: string
  from: string
}

export type Mail = { to: string; subject: string; text: string; html: string; messageId: string }

/** Sends mail; throws an Error whose message names the cause, never the password. */
export type Mailer = { send(settings: SmtpSettings, mail: Mail): Promise<void>; close(): void }

/** A mail server that accepts the connection and then hangs must not hold the others for long. */
const timeoutMs = 10_000

/** Opens one connection pool for the settings in use and keeps it: a flood of mails needs one handshake. */
export function createMailer(): Mailer {
  const held: { key: string; transport: Transporter | undefined } = { key: '', transport: undefined }
  const transportFor = (settings: SmtpSettings): Transporter => {
    const key = JSON.stringify(settings)
    if (held.transport && held.key === key) return held.transport
    held.transport?.close()
    held.key = key
    held.transport = createTransport({
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
      // Texts of events stand in the mail: no part of them may name a file or an address to be fetched.
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    return held.transport
  }
  return {
    send: async (settings, { to, subject, text, html, messageId }) => {
      await transportFor(settings).sendMail({
        from: settings.from,
        to: { name: '', address: to },
        subject,
        text,
        html,
        messageId,
        // Out-of-office answers to a machine help nobody (RFC 3834).
        headers: { 'auto-submitted': 'auto-generated' },
      })
    },
    close: () => held.transport?.close(),
  }
}
