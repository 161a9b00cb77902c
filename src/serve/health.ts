import type { ServerResponse } from 'node:http'

/** What works now. `tables`: process app has created the tables of this version. */
export type HealthParts = {
  accept: true
  app: boolean
  engine: boolean
  events: 'server' | 'embedded'
  tables: boolean
  blobs: boolean
  database: boolean
}

/** Answers with JSON that no cache keeps. */
function answerJson(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end(JSON.stringify(body))
}

/**
 * `live`: this process answers. `ready`: screens, events store, blob store and database work too, the tables are of this
 * version, and process app answers a request on the normal path (`answers`).
 */
export async function answerHealth(
  kind: string,
  parts: HealthParts,
  answers: () => Promise<boolean>,
  res: ServerResponse,
): Promise<void> {
  if (kind === 'live') return answerJson(res, 200, { status: 'ok', ...parts })
  const all = { ...parts, answers: parts.app && (await answers()) }
  const isReady = all.app && all.engine && all.tables && all.blobs && all.database && all.answers
  answerJson(res, isReady ? 200 : 503, { status: isReady ? 'ok' : 'starting', ...all })
}

/** The kind of a health path, `live` or `ready`. Relay's path is an alias for load balancers that are set up for it. */
export const healthOf = (path: string): string | undefined =>
  /^\/api\/(?:health|relay\/healthcheck)\/(live|ready)\/?$/.exec(path)?.[1]
