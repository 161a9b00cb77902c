import { configOf } from '../alert/channel.ts'
import { peopleIn, type SlackPeople } from '../alert/slack.ts'
import type { Actor } from '../auth/auth.ts'
import type { ChannelConfig } from '../domain/alerts/channel-kinds.ts'
import type { ActOnClick, SignedClick } from '../operations/slack-clicks.ts'
import type { App } from '../processes/parts.ts'
import type { Issue, Organization } from '../store/meta/meta.ts'
import { applyChange } from './issues/issue-change.ts'

type Deps = Pick<App, 'meta' | 'seal'>

/** An active channel of a Slack app, with its fields. */
type SlackApp = { id: number; config: ChannelConfig }

/** The active channels of Slack apps. One that cannot be opened is left out: its secret is unknown. */
export async function appsOf({ meta, seal }: Deps, organization: Organization): Promise<SlackApp[]> {
  return (await meta.alerts.channelsOf(organization.id))
    .filter((channel) => channel.kind === 'slack_app' && channel.active)
    .flatMap((channel) => {
      try {
        return [{ id: channel.id, config: configOf(seal, channel) }]
      } catch {
        return []
      }
    })
}

/** The address of a Slack user. An app can be in several workspaces, each with a token of its own. */
async function emailOf({ apps, people, userId }: ClickContext): Promise<string | undefined> {
  const mapped = apps.map(({ config }) => peopleIn(config.people).get(userId)).find((email) => email !== undefined)
  if (mapped !== undefined) return mapped
  for (const token of new Set(apps.map(({ config }) => config.token ?? ''))) {
    const email = await people(token, userId).catch(() => undefined)
    if (email !== undefined) return email
  }
  return undefined
}

/** Returns the member behind a Slack user: by the mapping of the channel, else by the e-mail address in Slack. */
async function memberOf(app: App, context: ClickContext): Promise<Actor | string> {
  const { organization } = context
  if (context.apps.length === 0) return 'The Slack app of this message is switched off or no longer connected.'
  const email = await emailOf(context)
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
/** Whether a button of ours has this name. */
export const isVerb = (name: string): name is Verb => Object.hasOwn(bodies, name)

/** `apps`: the channels whose app signed the click. */
type ClickContext = { apps: SlackApp[]; people: SlackPeople; userId: string; organization: Organization }

async function issueOf(app: App, organization: Organization, value = ''): Promise<Issue | undefined> {
  const issue = /^\d{1,15}$/.test(value) ? await app.meta.issues.issueById(Number(value)) : undefined
  return issue?.organizationId === organization.id ? issue : undefined
}

/** Does what a button says. Returns the sentence for the person who clicked. */
async function act(app: App, context: ClickContext, action: SignedClick['actions'][number]): Promise<string> {
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

/** Does what a click says. Returns the sentence for the person, who acts as the member with their address. */
export const actOnClick =
  (app: App): ActOnClick =>
  async (organizationId, { user, actions, channels }) => {
    const organization = await app.meta.organizations.organizationById(organizationId)
    if (!organization) return 'This organization no longer exists.'
    const context = {
      apps: (await appsOf(app, organization)).filter(({ id }) => channels.includes(id)),
      people: app.alerts.slackPeople,
      userId: user.id,
      organization,
    }
    const sentences: string[] = []
    for (const action of actions.filter(({ action_id: name }) => isVerb(name)))
      sentences.push(await act(app, context, action))
    return sentences.join('\n')
  }
