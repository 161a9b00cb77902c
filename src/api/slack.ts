import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { configOf } from '../alert/channel.ts'
import { peopleIn, type SlackPeople } from '../alert/slack.ts'
import type { Actor } from '../auth/auth.ts'
import { MishapError } from '../base/errors.ts'
import type { ChannelConfig } from '../domain/channel-kinds.ts'
import type { App } from '../processes/parts.ts'
import type { Issue, Organization } from '../store/meta/meta.ts'
import { applyChange } from './issues/issue-change.ts'

/** Slack's own limit for the age of a call: an older one may be a replay. */
const ageMaxMs = 5 * 60_000
/** A click carries the message that it was made in. */
const bodyBytesMax = 512 * 1024

const click = z.object({
  type: z.literal('block_actions'),
  user: z.object({ id: z.string().max(40) }),
  response_url: z.url().max(500).optional(),
  actions: z.array(z.object({ action_id: z.string().max(255), value: z.string().max(2000).optional() })).min(1),
})
type Click = z.infer<typeof click>

type Deps = Pick<App, 'meta' | 'seal'>

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

/** The fields of the channels of Slack apps. One that cannot be opened is left out: its secret is unknown. */
async function appsOf({ meta, seal }: Deps, organization: Organization): Promise<ChannelConfig[]> {
  return (await meta.alerts.channelsOf(organization.id))
    .filter((channel) => channel.kind === 'slack_app')
    .flatMap((channel) => {
      try {
        return [configOf(seal, channel)]
      } catch {
        return []
      }
    })
}

/** Returns the member behind a Slack user: by the mapping of the channel, else by the e-mail address in Slack. */
async function memberOf(app: App, { apps, people, userId, organization }: ClickContext): Promise<Actor | string> {
  const mapped = apps.map((config) => peopleIn(config.people).get(userId)).find((email) => email !== undefined)
  const email = mapped ?? (await people(apps[0]?.token ?? '', userId).catch(() => undefined))
  if (email === undefined) return 'Slack does not tell your e-mail address. The app needs the scope users:read.email.'
  const person = await app.auth.personByEmail(email)
  const members = await app.meta.organizations.membersOf(organization.id)
  if (!person || !members.some((member) => member.userId === person.id))
    return `No member of ${organization.name} has the address ${email}. Ask an administrator to add you, or to name your address in the channel.`
  return { kind: 'session', person }
}

const bodies = {
  resolve: () => ({ status: 'resolved' as const }),
  assign: (actor: Actor) => ({ assignedTo: `user:${actor.person.id}` }),
  archive: () => ({ status: 'ignored' as const }),
}
const done = { resolve: 'resolved', assign: 'assigned to you', archive: 'archived' } as const
type Verb = keyof typeof bodies
const isVerb = (name: string): name is Verb => Object.hasOwn(bodies, name)

type ClickContext = { apps: ChannelConfig[]; people: SlackPeople; userId: string; organization: Organization }

async function issueOf(app: App, organization: Organization, value = ''): Promise<Issue | undefined> {
  const issue = /^\d{1,15}$/.test(value) ? await app.meta.issues.issueById(Number(value)) : undefined
  return issue?.organizationId === organization.id ? issue : undefined
}

/** Does what a button says. Returns the sentence for the person who clicked. */
async function act(app: App, context: ClickContext, action: Click['actions'][number]): Promise<string> {
  const { organization } = context
  const issue = await issueOf(app, organization, action.value)
  const project = issue && (await app.meta.projects.projectById(issue.projectId))
  if (!issue || !project || !isVerb(action.action_id)) return 'This issue no longer exists.'
  const actor = await memberOf(app, context)
  if (typeof actor === 'string') return actor
  if ((await app.auth.may(actor, 'issue:triage', { organization, project, issue })) !== 'yes')
    return 'Your role may not change this issue.'
  await applyChange(app, actor, [issue], bodies[action.action_id](actor))
  return `${issue.shortId} is ${done[action.action_id]}.`
}

const answered = (status: number, error?: string): Response =>
  new Response(error === undefined ? null : JSON.stringify({ detail: error }), {
    status,
    headers: { 'cache-control': 'no-store', ...(error === undefined ? {} : { 'content-type': 'application/json' }) },
  })

/**
 * Answers a click on a button in Slack. The organization is in the path; one of its Slack apps must have signed the
 * call within five minutes, else it is a 401. The person who clicked acts as the member with their address.
 */
export async function receiveSlackClick(app: App, slug: string, request: Request): Promise<Response> {
  const body = await textWithin(request)
  const organization = await app.meta.organizations.organizationBySlug(slug)
  const signed = {
    body,
    timestamp: request.headers.get('x-slack-request-timestamp') ?? '',
    signature: request.headers.get('x-slack-signature') ?? '',
    nowMs: app.clock.now(),
  }
  const all = organization ? await appsOf(app, organization) : []
  const apps = all.filter((config) => isSignedBySlack(config.signing ?? '', signed))
  // An unknown organization answers the same, so that nobody can look for names.
  if (!organization || apps.length === 0) {
    app.observe.warn(
      { organization: organization?.id ?? null },
      'a call without a valid signature of Slack was refused',
    )
    return answered(401, 'The signature of Slack is missing, wrong or too old.')
  }
  const read = click.safeParse(payloadOf(body))
  // Other interactions, such as the click on a link, need no answer.
  if (!read.success) return answered(200)
  const { user, actions, response_url: responseUrl } = read.data
  for (const action of actions.filter(({ action_id: name }) => isVerb(name))) {
    const sentence = await act(app, { apps, people: app.alerts.slackPeople, userId: user.id, organization }, action)
    if (responseUrl) await app.alerts.answerSlack(responseUrl, sentence)
  }
  return answered(200)
}

function payloadOf(body: string): unknown {
  try {
    return JSON.parse(new URLSearchParams(body).get('payload') ?? '')
  } catch {
    return undefined
  }
}
