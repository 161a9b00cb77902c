import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

export type ReceivedMail = { to: string[]; text: string; atMs: number }

/** A mail server on loopback that keeps what it gets. */
export async function openMailServer(mails: ReceivedMail[]): Promise<{ port: number; close(): void }> {
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    authOptional: true,
    onData: (stream, session, done) => {
      const parts: Buffer[] = []
      stream.on('data', (part: Buffer) => parts.push(part))
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map((one) => one.address)
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
