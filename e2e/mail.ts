import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

export type Received = { to: string[]; text: string; atMs: number }

/** Starts a mail server on loopback that appends every received mail to `mails`. */
export async function openMailServer(mails: Received[]): Promise<{ port: number; close(): void }> {
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    authOptional: true,
    onData: (stream, session, done) => {
      const parts: Buffer[] = []
      stream.on('data', (part: Buffer) => parts.push(part))
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map((recipient) => recipient.address)
        mails.push({ to, text: Buffer.concat(parts).toString(), atMs: performance.now() })
        done()
      })
    },
  })
  const port = await new Promise<number>((resolve) => {
    const listening = server.listen(0, '127.0.0.1', () => resolve((listening.address() as AddressInfo).port))
  })
  return { port, close: () => server.close(() => undefined) }
}

/** The path and query of the first link to `page` in a mail. Undoes the line folding of mails. */
export function linkIn(mail: Received | undefined, page: string): string {
  const text = (mail?.text ?? '').replace(/=\r?\n/g, '').replaceAll('=3D', '=')
  const found = new RegExp(`https?://[^\\s"<]+?(${page}(?:[\\w?=/%-]|\\.(?=[\\w-]))*)`).exec(text)?.[1]
  if (!found) throw new Error(`no link to ${page} in: ${text}`)
  return found
}
