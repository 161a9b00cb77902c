import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { connectToPrimary } from './server-client.ts'

/** The answer of a server that refuses a connection: https://www.postgresql.org/docs/17/protocol-message-formats.html */
function refusal(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C${code}\0M${message}\0\0`)
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

/** Connects to a server that answers each start of a connection with `answer`. Returns the error. */
async function errorOf(answer: Buffer): Promise<unknown> {
  const server = createServer((socket) => socket.on('error', () => undefined).once('data', () => socket.end(answer)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const address = { hosts: [{ host: '127.0.0.1', port }], user: 'u', password: '', database: 'd', sslMode: 'disable' }
  try {
    return await connectToPrimary(address as never, { name: 'a test' }).catch((error: unknown) => error)
  } finally {
    server.close()
  }
}

test.each([
  ['XX000', 'could not write init file', true, 'its disk is full or failing (could not write init file).'],
  ['53100', 'could not extend file', true, 'its disk is full or failing (could not extend file).'],
  ['28P01', 'password authentication failed for user "u"', true, 'password authentication failed for user "u".'],
  ['57P03', 'the database system is starting up', false, 'the database system is starting up.'],
])('%s %s', async (code, message, isLasting, reason) => {
  expect(await errorOf(refusal(code, message))).toMatchObject({
    code: 'DATABASE_UNAVAILABLE',
    isLasting,
    causes: [expect.stringMatching(new RegExp(`^127\\.0\\.0\\.1:\\d+: ${reason.replace(/[()]/g, '\\$&')}$`))],
  })
})
