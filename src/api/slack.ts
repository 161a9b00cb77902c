import { createHmac, timingSafeEqual } from 'node:crypto'
import { MishapError } from '../base/errors.ts'
import { slackSignatureHeader } from '../domain/alerts/hook-calls.ts'
import { clickShape, runSlackClicks, storeSlackClick } from '../operations/slack-clicks.ts'
import type { App } from '../processes/parts.ts'
import { actOnClick, appsOf, isVerb } from './slack-clicks.ts'

/** Slack's own limit for the age of a call: an older one may be a replay. */
const ageMaxMs = 5 * 60_000
/** A click carries the message that it was made in. */
const bodyBytesMax = 512 * 1024

/** Returns whether Slack signed the body: https://docs.slack.dev/authentication/verifying-requests-from-slack */
export function isSignedBySlack(
  signing: string,
  { body, timestamp, signature, nowMs }: { body: string; timestamp: string; signature: string; nowMs: number },
): boolean {
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(nowMs - Number(timestamp) * 1000) > ageMaxMs) return false
  const expected = Buffer.from(`v0=${createHmac('sha256', signing).update(`v0:${timestamp}:${body}`).digest('hex')}`)
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

async function textWithin(request: Request): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  // Without a body there is no stream.
  for await (const part of request.body ?? []) {
    bytes += part.length
    if (bytes > bodyBytesMax)
      throw new MishapError('ACCEPT_TOO_LARGE', { detail: `The body is over ${bodyBytesMax} bytes.` })
    parts.push(Buffer.from(part))
  }
  return Buffer.concat(parts).toString('utf8')
}

const answered = (): Response => new Response(null, { headers: { 'cache-control': 'no-store' } })

const unproved = () =>
  new MishapError('AUTH_REQUIRED', { detail: 'The signature of Slack is missing, wrong or too old.' })

/**
 * Answers a click on a button in Slack. The organization is in the path; one of its active Slack apps must have signed
 * the call within five minutes, else it is a 401. Without a signature the body is not read. After too many refused calls from
 * the same address it is a 429. What the button says is done afterwards (slack-clicks.ts). A click that arrives twice has
 * the same body and is done once.
 */
export const receiveSlackClick = (app: App, slug: string, request: Request): Promise<Response> =>
  app.hookCalls.guard({ service: 'slack', name: slug }, request.headers, () => takeClick(app, slug, request))

/** Stores a click. Throws AUTH_REQUIRED, ACCEPT_TOO_LARGE. */
async function takeClick(app: App, slug: string, request: Request): Promise<Response> {
  if (!request.headers.get(slackSignatureHeader)) throw unproved()
  const body = await textWithin(request)
  const organization = await app.meta.organizations.organizationBySlug(slug)
  const signed = {
    body,
    timestamp: request.headers.get('x-slack-request-timestamp') ?? '',
    signature: request.headers.get(slackSignatureHeader) ?? '',
    nowMs: app.clock.now(),
  }
  const all = organization ? await appsOf(app, organization) : []
  const apps = all.filter(({ config }) => isSignedBySlack(config.signing ?? '', signed))
  // An unknown organization answers the same, so that nobody can look for names.
  if (!organization || apps.length === 0) throw unproved()
  const read = clickShape.safeParse(payloadOf(body))
  // Other interactions, such as the click on a link, need no answer.
  if (!read.success || !read.data.actions.some(({ action_id: name }) => isVerb(name))) return answered()
  // Stored before the answer: Slack waits three seconds for it, and a click must survive a kill of ours.
  await storeSlackClick(app, organization.id, body, { ...read.data, channels: apps.map(({ id }) => id) })
  runSlackClicks(app, actOnClick(app)).catch((error: unknown) =>
    app.observe.error({ error: String(error).slice(0, 300) }, 'clicks in Slack were not handled'),
  )
  return answered()
}

function payloadOf(body: string): unknown {
  try {
    return JSON.parse(new URLSearchParams(body).get('payload') ?? '')
  } catch {
    return undefined
  }
}
