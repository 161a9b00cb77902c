import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hostileTexts } from '../message/hostile.cases.ts'
import { alerted, message } from '../message/message.cases.ts'
import { htmlOf, textOf } from '../message/message.ts'
import { createMailer, type Mail } from './mailer.ts'

const received: { to: string[]; text: string }[] = []
const server = new SMTPServer({
  disabledCommands: ['STARTTLS'],
  authOptional: true,
  onData: (stream, session, done) => {
    const parts: Buffer[] = []
    stream.on('data', (part: Buffer) => parts.push(part))
    stream.on('end', () => {
      received.push({
        to: session.envelope.rcptTo.map((recipient) => recipient.address),
        text: Buffer.concat(parts).toString(),
      })
      done()
    })
  },
})
const mailer = createMailer()

beforeAll(() => new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve)))
afterAll(() => {
  mailer.close()
  server.close(() => undefined)
})

/** Sends a mail to the server; returns its headers by name in lower case, and its recipients. */
async function sent(mail: Partial<Mail>): Promise<{ headers: Map<string, string>; to: string[] }> {
  const { port } = server.server.address() as AddressInfo
  const settings = { host: '127.0.0.1', port, security: 'none', user: '', password: '', from: 'mishap@x.test' } as const
  await mailer.send(settings, {
    to: 'ann@x.test',
    subject: 'x',
    text: 'x',
    html: 'x',
    messageId: '<delivery-2@m.test>',
    ...mail,
  })
  const { text = '', to = [] } = received.at(-1) ?? {}
  const head = (text.split('\r\n\r\n', 1)[0] ?? '').replace(/\r\n[ \t]+/g, ' ')
  return {
    headers: new Map(
      head.split('\r\n').map((row) => [row.replace(/:.*/, '').toLowerCase(), row.replace(/^.*?: ?/, '')]),
    ),
    to,
  }
}

test('a mail of an incident belongs to the mails before, and can be unsubscribed by one POST', async () => {
  const { headers } = await sent({
    references: ['<incident-3@m.test>', '<delivery-1@m.test>'],
    unsubscribe: 'https://m.test/api/0/unsubscribe/?token=abc',
  })
  expect(headers.get('references')).toBe('<incident-3@m.test> <delivery-1@m.test>')
  expect(headers.get('in-reply-to')).toBe('<delivery-1@m.test>')
  expect(headers.get('list-unsubscribe')).toBe('<https://m.test/api/0/unsubscribe/?token=abc>')
  expect(headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click')
})

test('a mail without these has no such headers', async () => {
  const { headers } = await sent({})
  for (const name of ['references', 'in-reply-to', 'list-unsubscribe', 'list-unsubscribe-post'])
    expect(headers.has(name)).toBe(false)
})

test.each(hostileTexts)('$name adds no header and no recipient', async ({ text }) => {
  const hostile = message({ alerts: [alerted({ title: text, culprit: text })] })
  const { headers, to } = await sent({ subject: hostile.headline, text: textOf(hostile), html: htmlOf(hostile) })
  expect(to).toEqual(['ann@x.test'])
  expect([...headers.keys()].sort()).toEqual(
    ['auto-submitted', 'content-type', 'date', 'from', 'message-id', 'mime-version', 'subject', 'to'].sort(),
  )
})
