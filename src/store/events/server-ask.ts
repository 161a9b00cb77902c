import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import type { EventsServer } from '../../base/events-server.ts'

/** A server with the password of its user. */
export type ServerAccess = EventsServer & { password: string }

/** What a server said to one statement. `code` is ClickHouse's error code; 0 for success. */
export type ServerAnswer = { status: number; code: number; text: string; isClickHouse: boolean }

const answerMs = 5000
/** Answers of the checks are short. More is no answer of ClickHouse. */
const answerBytesMax = 256 * 1024

/**
 * Sends one statement to a ClickHouse server, without the client: process main loads no code of the stores. Resolves
 * with any answer. Rejects with Node's error (ECONNREFUSED, a TLS code, ETIMEDOUT) if there is none within 5 s.
 */
export function askServer({ url, user, password }: ServerAccess, sql: string): Promise<ServerAnswer> {
  const target = new URL(url)
  const request = target.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const asked = request(
      target,
      {
        method: 'POST',
        agent: false,
        signal: AbortSignal.timeout(answerMs),
        headers: { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` },
      },
      (response) => {
        const parts: Buffer[] = []
        let bytes = 0
        response.on('data', (part: Buffer) => {
          bytes += part.length
          if (bytes > answerBytesMax) response.destroy()
          else parts.push(part)
        })
        response.on('error', reject)
        response.on('end', () => {
          const code = response.headers['x-clickhouse-exception-code']
          resolve({
            status: response.statusCode ?? 0,
            code: response.statusCode === 200 ? 0 : Number(code ?? -1),
            text: Buffer.concat(parts).toString('utf8').trimEnd(),
            isClickHouse: code !== undefined || response.headers['x-clickhouse-server-display-name'] !== undefined,
          })
        })
      },
    )
    asked.on('error', (error) =>
      reject(error.name === 'TimeoutError' ? Object.assign(error, { code: 'ETIMEDOUT' }) : error),
    )
    asked.end(sql)
  })
}
