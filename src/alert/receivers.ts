import { LRUCache } from 'lru-cache'
import { onCallOrder } from '../domain/alerts/on-call.ts'
import type { PersonalKind, PersonalSettings } from '../domain/alerts/personal.ts'
import type { AlertRule } from '../store/meta/alerts/rules.ts'
import type { Channel } from '../store/meta/issues/alerts.ts'
import type { Issue, Person } from '../store/meta/meta.ts'
import { channelReceiver, mergedReceivers, type Question, type Receiver } from './decide/facts.ts'
import type { AlertDeps } from './deps.ts'
import { kindOfAction, personReceiver } from './person-receivers.ts'
import { pushRecipientsIn } from './push.ts'
import { recipientsIn } from './recipients.ts'

/** How long the authors of the commits behind an issue are remembered. They come from an event, which is a query. */
const authorsKeptMs = 3_600_000
const authorsKept = 5_000

/** Returns the current recipients: '' for a chat, browsers, or mail addresses that need no confirmation. */
export async function recipientsOf(deps: AlertDeps, channel: Channel): Promise<string[]> {
  if (channel.kind === 'push') return pushRecipientsIn(deps, channel.organizationId)
  if (channel.kind !== 'email') return ['']
  if (!(await deps.smtp())) return []
  return (await recipientsIn(deps, channel))
    .filter((recipient) => recipient.state !== 'unconfirmed')
    .map((recipient) => recipient.address)
}

/** Returns the current recipients; none, with a warning, if the channel cannot be decrypted. */
async function openRecipientsOf(deps: AlertDeps, channel: Channel): Promise<string[]> {
  if (!channel.active) return []
  try {
    return await recipientsOf(deps, channel)
  } catch (error) {
    deps.observe.warn({ channel: channel.id, error: String(error).slice(0, 200) }, 'a channel could not be opened')
    return []
  }
}

/** Finds the members whose commits most likely caused an issue. Unknown while the events store is down. */
export type Authors = (issue: Issue, members: readonly Person[]) => Promise<string[]>

/** Creates the lookup of authors, with a memory. */
export function createAuthors(deps: AlertDeps): Authors {
  const known = new LRUCache<number, string[]>({ max: authorsKept, ttl: authorsKeptMs, perf: { now: deps.clock.now } })
  return async (issue, members) => {
    const found = known.get(issue.id)
    if (found) return found
    try {
      const emails = new Set(await deps.authorEmails(issue))
      const ids = members.filter(({ email }) => emails.has(email.toLowerCase())).map(({ id }) => id)
      known.set(issue.id, ids)
      return ids
    } catch (error) {
      deps.observe.warn({ issue: issue.id, error: String(error).slice(0, 200) }, 'authors of an issue are unknown')
      return []
    }
  }
}

/** What was read of organizations, by id. */
export type Directories = Map<number, Directory>

/** People and channels of one organization, read once for a decision. */
type Directory = {
  channels: Channel[]
  recipients: Map<number, string[]>
  people: Map<string, Person>
  /** What people want to hear, if they changed it. */
  wishes: Map<string, PersonalSettings>
  /** The browsers of each person that get push messages. */
  browsers: Map<string, number[]>
  /** Members who can triage. */
  active: string[]
  /** By schedule id: user ids in the order of escalation. */
  onCall: Map<string, string[]>
}

async function directoryOf(deps: AlertDeps, organizationId: number, nowMs: number): Promise<Directory> {
  const { meta } = deps
  const channels = await meta.alerts.channelsOf(organizationId)
  const recipients = new Map<number, string[]>()
  for (const channel of channels) recipients.set(channel.id, await openRecipientsOf(deps, channel))
  const members = await meta.organizations.membersOf(organizationId)
  const people = await meta.people.people(members.map((member) => member.userId))
  const schedules = await meta.incidents.listSchedules(organizationId)
  const browsers = await meta.pushBrowsers.browsersOf(members.map(({ userId }) => userId))
  const overrides = await meta.incidents.overridesOf(
    schedules.map(({ id }) => id),
    nowMs,
  )
  return {
    channels,
    recipients,
    people: new Map(people.map((person) => [person.id, person])),
    wishes: await meta.personal.personalSettingsIn(organizationId),
    browsers: new Map(
      [...Map.groupBy(browsers, ({ userId }) => userId)].map(([userId, own]) => [userId, own.map(({ id }) => id)]),
    ),
    active: members.filter(({ role }) => role !== 'viewer').map(({ userId }) => userId),
    onCall: new Map(
      schedules.map((schedule) => [
        String(schedule.id),
        onCallOrder(
          schedule,
          overrides.filter(({ scheduleId }) => scheduleId === schedule.id),
          nowMs,
        ),
      ]),
    ),
  }
}

type IssuePeople = { assignee: string[]; owners: string[]; authors: string[] }
/** Types of actions that name people by the issue. */
type ByIssue = keyof IssuePeople
/**
 * `issues`: those whose people are looked up. `projects`: the project of each further issue. `directories`: keeps what was
 * read of an organization for the next decision about it.
 */
type Needs = {
  rules: readonly AlertRule[]
  issues: readonly Issue[]
  organizationIds: readonly number[]
  projects?: ReadonlyMap<number, number>
  directories?: Directories
}

/** Resolves assignee, owners and authors of issues, as far as a rule asks for them. */
async function issuePeople(
  deps: AlertDeps,
  authors: Authors,
  { rules, issues }: Needs,
  directories: ReadonlyMap<number, Directory>,
): Promise<Map<number, IssuePeople>> {
  const types = new Set(rules.flatMap(({ definition }) => definition.actions.map(({ type }) => type)))
  const found = new Map<number, IssuePeople>()
  // Only its own organization may learn of an issue, whoever wrote the commit.
  const membersOf = (issue: Issue) => [...(directories.get(issue.organizationId)?.people.values() ?? [])]
  for (const issue of issues)
    found.set(issue.id, {
      assignee: issue.assigneeUserId === null ? [] : [issue.assigneeUserId],
      owners: types.has('owners') ? (await deps.meta.issues.suggestionsOf(issue.id)).map(({ userId }) => userId) : [],
      authors: types.has('authors') ? await authors(issue, membersOf(issue)) : [],
    })
  return found
}

/** What a decision must know about receivers. `userIds`: persons that can get a message. */
type Receivers = Pick<Question, 'channels' | 'recipientsOf' | 'receiversOf' | 'receiverOf' | 'onCall'> & {
  userIds: string[]
}

/** A step of an on-call order whose person has left. It reaches nobody. */
const nobody: Receiver = { key: 'nobody', channelId: null, userId: null, recipients: [], notBeforeMs: 0 }

/** Makes the lookup of a person as a receiver, by what they want to hear. */
const personIn =
  (now: { hasMail: boolean; nowMs: number }) =>
  (
    directory: Directory | undefined,
    userId: string,
    { kind, projectId = null }: { kind?: PersonalKind; projectId?: number | null } = {},
  ): Receiver | undefined => {
    const found = directory?.people.get(userId)
    if (!found || !directory) return undefined
    const means = { ...now, browsers: directory.browsers.get(userId) ?? [] }
    return personReceiver(found, directory.wishes.get(userId), { kind, projectId }, means)
  }

/** Reads who can hear of these rules and issues. */
export async function readReceivers(
  deps: AlertDeps,
  authors: Authors,
  needs: Needs,
  nowMs: number,
): Promise<Receivers> {
  const directories: Directories = needs.directories ?? new Map()
  for (const id of needs.organizationIds)
    if (!directories.has(id)) directories.set(id, await directoryOf(deps, id, nowMs))
  const all = [...directories.values()]
  const channels = all.flatMap((directory) => directory.channels)
  const recipients = new Map(all.flatMap((directory) => [...directory.recipients]))
  const persons = new Map(all.flatMap((directory) => [...directory.people]))
  const hasMail = (await deps.smtp()) !== undefined
  const ofIssue = await issuePeople(deps, authors, needs, directories)
  const rules = new Map(needs.rules.map((rule) => [rule.id, rule]))

  const projects = new Map([
    ...needs.issues.map(({ id, projectId }) => [id, projectId] as const),
    ...(needs.projects ?? []),
  ])
  const person = personIn({ hasMail, nowMs })
  const byId = new Map(channels.map((item) => [item.id, channelReceiver(item, recipients.get(item.id) ?? [])]))
  const channel = (id: number): Receiver | undefined => byId.get(id)
  return {
    channels,
    userIds: [...persons.keys()],
    recipientsOf: ({ id }) => recipients.get(id) ?? [],
    receiverOf: (key, organizationId) => {
      const directory = directories.get(organizationId)
      const [kind, id = ''] = key.split(':')
      if (kind === 'channel') return directory?.recipients.has(Number(id)) ? channel(Number(id)) : undefined
      return person(directory, key.slice('person:'.length))
    },
    onCall: (schedule, organizationId) => {
      const directory = directories.get(organizationId)
      // Whoever has left keeps their step, so that nobody is told in their place too early.
      return (directory?.onCall.get(schedule) ?? []).map(
        (userId) => person(directory, userId, { kind: 'on_call' }) ?? nobody,
      )
    },
    receiversOf: (ruleId, issueIds) => {
      const rule = rules.get(ruleId)
      const directory = rule && directories.get(rule.organizationId)
      if (!rule || !directory) return []
      const found = rule.definition.actions.flatMap((action): (Receiver | undefined)[] => {
        if (action.type === 'channel') {
          const id = Number(action.channel)
          // An id of another organization has no effect, however it got into the rule.
          return directory.recipients.has(id) ? [channel(id)] : []
        }
        if (action.type === 'tracker') return []
        const userIds =
          action.type === 'person'
            ? [action.person]
            : action.type === 'members'
              ? directory.active
              : action.type === 'on_call'
                ? (directory.onCall.get(action.schedule) ?? []).slice(0, 1)
                : issueIds.flatMap((id) => ofIssue.get(id)?.[action.type as ByIssue] ?? [])
        const [projectId = null, ...others] = new Set(issueIds.flatMap((id) => projects.get(id) ?? []))
        // Each action by its own kind: whoever hears of no rules still hears of what is assigned to them.
        const wish = { kind: kindOfAction(action.type), projectId: others.length > 0 ? null : projectId }
        return userIds.map((userId) => person(directory, userId, wish))
      })
      return mergedReceivers(found.flatMap((receiver) => receiver ?? []))
    },
  }
}
