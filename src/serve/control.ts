import { rmSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import { isErrorCode, MishapError } from '../base/errors.ts'

/** Commands that the running product executes for `mishap bootstrap` and others. */
export type Commands = Record<string, (value: Record<string, string>) => Promise<object>>

/** The files of a configuration are the largest command; a plan over all of them is the largest answer. */
const bodyBytesMax = 32 * 1024 * 1024

async function read(stream: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of stream) {
    bytes += (part as Buffer).length
    if (bytes > bodyBytesMax) throw new MishapError('ACCEPT_TOO_LARGE')
    parts.push(part as Buffer)
  }
  return Buffer.concat(parts).toString('utf8')
}

/** Answers commands on a socket in the data folder. Everybody who can open that folder can send commands. */
export function serveControl(socketPath: string, commands: Commands): Promise<Server> {
  rmSync(socketPath, { force: true })
  const server = createServer((req, res) => {
    const answer = async (): Promise<[number, object]> => {
      const name = (req.url ?? '/').slice(1)
      const command = Object.hasOwn(commands, name) ? commands[name] : undefined
      if (!command) return [404, { code: 'NOT_FOUND', detail: 'No such command.' }]
      try {
        return [200, await command(JSON.parse(await read(req)) as Record<string, string>)]
      } catch (error) {
        if (!(error instanceof MishapError)) return [500, { code: 'INTERNAL', detail: String(error) }]
        return [400, { code: error.code, detail: error.message, fields: error.fields }]
      }
    }
    void answer().then(([status, body]) =>
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    )
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(socketPath, () => resolve(server))
  })
}

/** Sends a command. Returns undefined if nobody answers on the socket. Throws MishapError with the error answer. */
export function giveCommand(
  socketPath: string,
  name: string,
  value: Record<string, string>,
): Promise<object | undefined> {
  return new Promise((resolve, reject) => {
    const req = request({ socketPath, method: 'POST', path: `/${name}` }, (answer) => {
      read(answer).then((text) => {
        const body = JSON.parse(text) as { code?: string; detail?: string; fields?: Record<string, string[]> }
        if (answer.statusCode === 200) return resolve(body)
        reject(
          new MishapError(isErrorCode(body.code) ? body.code : 'INTERNAL', {
            detail: [
              body.detail,
              ...Object.entries(body.fields ?? {}).map(([field, all]) => `${field}: ${all.join(' ')}`),
            ].join(' '),
          }),
        )
      }, reject)
    })
    req.on('error', () => resolve(undefined))
    req.end(JSON.stringify(value))
  })
}
