import { isDeepStrictEqual } from 'node:util'
import { MishapError } from '../../base/errors.ts'
import type { AlertAction, NewAlertRuleBody } from '../../contract/alerts/alerts.ts'
import {
  type AlertFile,
  alertFile,
  type ConfigItem,
  type FileAction,
  type ScheduleFile,
} from '../../contract/config-files.ts'
import type { AlertRule } from '../../store/meta/alerts/rules.ts'
import type { Project } from '../../store/meta/meta.ts'
import type { MetaWith } from '../../store/meta/meta-store.ts'
import type { Kept } from '../alert-rules.ts'

/** What alert rules and schedules refer to. */
export type ReadsNames = MetaWith<
  | 'alerts.channelsOf'
  | 'organizations.membersOf'
  | 'people.people'
  | 'incidents.listSchedules'
  | 'trackers.integrationsOf'
>

const kinds = {
  channel: { word: 'channel', advice: 'Its address is a secret: create it on the screen.' },
  person: { word: 'member', advice: 'Invite this person first.' },
  schedule: { word: 'on-call schedule', advice: 'Describe it in on-call.yaml.' },
  tracker: { word: 'tracker', advice: 'Its token is a secret: connect it on the screen.' },
} as const
type Kind = keyof typeof kinds

/** Names and ids of one kind. Several ids of one name are kept: a file cannot say which it means. */
type Names = { nameOf: ReadonlyMap<string, string>; idsOf: ReadonlyMap<string, string[]> }
/** The receivers of an organization. Schedules that a plan creates have no id yet. */
export type Receivers = Readonly<Record<Kind, Names>>

function namesOf(rows: readonly { id: string; name: string }[]): Names {
  return {
    nameOf: new Map(rows.map(({ id, name }) => [id, name])),
    idsOf: new Map([...Map.groupBy(rows, ({ name }) => name)].map(([name, same]) => [name, same.map((row) => row.id)])),
  }
}

/** A tracker is known by two names. No name contains a line break. */
const trackerName = (integration: string, repository: string) => `${integration}\n${repository}`

/** Reads the receivers of an organization. */
export async function readReceivers(meta: ReadsNames, organizationId: number): Promise<Receivers> {
  const members = await meta.organizations.membersOf(organizationId)
  const people = await meta.people.people(members.map(({ userId }) => userId))
  const numbered = (rows: readonly { id: number; name: string }[]) =>
    namesOf(rows.map(({ id, name }) => ({ id: String(id), name })))
  const trackers = await meta.trackers.integrationsOf(organizationId)
  return {
    channel: numbered(await meta.alerts.channelsOf(organizationId)),
    person: namesOf(people.map(({ id, email }) => ({ id, name: email }))),
    schedule: numbered(await meta.incidents.listSchedules(organizationId)),
    tracker: numbered(trackers.map(({ id, name, target }) => ({ id, name: trackerName(name, target) }))),
  }
}

// ---- from the store to files

type Described<Value> = { value: Value; notes: string[] }

function fileAction(action: AlertAction, receivers: Receivers): FileAction | Kind {
  switch (action.type) {
    case 'channel': {
      const channel = receivers.channel.nameOf.get(action.channel)
      return channel === undefined ? 'channel' : { ...action, channel }
    }
    case 'person': {
      const person = receivers.person.nameOf.get(action.person)
      return person === undefined ? 'person' : { ...action, person }
    }
    case 'on_call': {
      const schedule = receivers.schedule.nameOf.get(action.schedule)
      return schedule === undefined ? 'schedule' : { ...action, schedule }
    }
    case 'tracker': {
      const [integration, repository = ''] = receivers.tracker.nameOf.get(action.tracker)?.split('\n') ?? []
      const { type, options } = action
      return integration === undefined ? 'tracker' : { type, integration, repository, options }
    }
    default:
      return action
  }
}

/** Deleted projects, in the file of a rule that watches no others. No slug has parentheses. */
const deletedProjects = '(deleted)'

/**
 * The file of a rule. What it names and is gone is left out, with a note: a file cannot name it. `isWritable` is false for
 * a rule that no file can say, such as one whose projects are all deleted: without them it would watch every project.
 */
export function alertValue(
  rule: AlertRule,
  projects: readonly Project[],
  receivers: Receivers,
): Described<AlertFile> & { isWritable: boolean } {
  const { projectIds, ownerId, actions, escalation, ...rest } = rule.definition
  const slugs = projectIds.flatMap((id) => projects.find((project) => project.id === id)?.slug ?? [])
  const isOrphan = projectIds.length > 0 && slugs.length === 0
  const owner = ownerId === null ? undefined : receivers.person.nameOf.get(ownerId)
  const gone: Kind[] = ownerId !== null && owner === undefined ? ['person'] : []
  const named = actions.flatMap((action) => {
    const found = fileAction(action, receivers)
    if (typeof found !== 'string') return [found]
    gone.push(found)
    return []
  })
  const steps = escalation.flatMap(({ schedule, ...step }) => {
    const name = receivers.schedule.nameOf.get(schedule)
    if (name === undefined) gone.push('schedule')
    return name === undefined ? [] : [{ ...step, schedule: name }]
  })
  const value = {
    ...rest,
    name: rule.name,
    isActive: rule.active,
    projects: slugs,
    owner: owner ?? null,
    actions: named,
    escalation: steps,
  }
  const read = alertFile.safeParse(value)
  const key = alertKey(rule.name)
  return {
    value: isOrphan ? { ...value, projects: [deletedProjects] } : (read.data ?? value),
    isWritable: !isOrphan && read.success,
    notes: [
      ...gone.map((kind) => `${key} names a ${kinds[kind].word} that is gone. Files leave it out.`),
      ...(isOrphan ? [`${key} is in no file, because all of its projects are deleted.`] : []),
      ...(read.success
        ? []
        : read.error.issues.map(
            ({ path, message }) => `${key} is in no file: ${path.map(String).join('.')}: ${message}`,
          )),
    ],
  }
}

export const alertKey = (name: string): string => `alert ${name}`
export const scheduleKey = (name: string): string => `on-call ${name}`

/** The value of a rule as it is written: what is empty in most rules is left out. The order of projects says nothing. */
export function printedAlert({
  name,
  projects,
  environment,
  owner,
  isActive,
  issue,
  metric,
  actions,
  ...rest
}: AlertFile) {
  const { unevaluable, original = null, ...settings } = rest
  return {
    name,
    projects: [...new Set(projects)].sort(),
    environment,
    owner,
    isActive,
    ...(issue ? { issue } : {}),
    ...(metric ? { metric } : {}),
    actions,
    ...settings,
    ...(unevaluable.length > 0 ? { unevaluable } : {}),
    ...(original === null ? {} : { original }),
  }
}

// ---- from files to the store

/** `field`: where it is named, such as `actions.0`. */
type Named = { field: string; kind: Kind; name: string }

const shownName = (name: string) => JSON.stringify(name.split('\n').join(' '))

/** What is wrong with the names in an item, in sentences. `planned`: keys of schedules that exist after the apply. */
export function nameFaults(item: ConfigItem, receivers: Receivers, planned: ReadonlySet<string>): string[] {
  return namedIn(item).flatMap(({ field, kind, name }) => {
    const { word, advice } = kinds[kind]
    const ids = receivers[kind].idsOf.get(name) ?? []
    if (ids.length > 1)
      return [`${field}: there are ${ids.length} of the ${word} ${shownName(name)}. Rename the others on the screen.`]
    const isThere = kind === 'schedule' ? planned.has(scheduleKey(name)) : ids.length === 1
    return isThere ? [] : [`${field}: there is no ${word} ${shownName(name)}. ${advice}`]
  })
}

function namedIn(item: ConfigItem): Named[] {
  if (item.kind === 'schedule')
    return item.value.members.map((name, at) => ({ field: `members.${at}`, kind: 'person', name }))
  if (item.kind !== 'alert') return []
  const { owner, actions, escalation } = item.value
  return [
    ...(owner === null ? [] : [{ field: 'owner', kind: 'person' as const, name: owner }]),
    ...actions.flatMap((action, at): Named[] => {
      const field = `actions.${at}`
      if (action.type === 'channel') return [{ field, kind: 'channel', name: action.channel }]
      if (action.type === 'person') return [{ field, kind: 'person', name: action.person }]
      if (action.type === 'on_call') return [{ field, kind: 'schedule', name: action.schedule }]
      if (action.type !== 'tracker') return []
      return [{ field, kind: 'tracker', name: trackerName(action.integration, action.repository) }]
    }),
    ...escalation.map(({ schedule }, at): Named => ({ field: `escalation.${at}`, kind: 'schedule', name: schedule })),
  ]
}

/** The id of a name. None: a schedule that the apply creates, whose rule is only checked. */
const idIn = (receivers: Receivers, kind: Kind, name: string): string[] =>
  (receivers[kind].idsOf.get(name) ?? []).slice(0, 1)

function storedAction(action: FileAction, receivers: Receivers): AlertAction[] {
  switch (action.type) {
    case 'channel':
      return idIn(receivers, 'channel', action.channel).map((channel) => ({ ...action, channel }))
    case 'person':
      return idIn(receivers, 'person', action.person).map((person) => ({ ...action, person }))
    case 'on_call':
      return idIn(receivers, 'schedule', action.schedule).map((schedule) => ({ ...action, schedule }))
    case 'tracker': {
      const { type, integration, repository, options } = action
      return idIn(receivers, 'tracker', trackerName(integration, repository)).map((tracker) => ({
        type,
        tracker,
        options,
      }))
    }
    default:
      return [action]
  }
}

/** The body of a rule of a file, with ids. Names that `nameFaults` refuses, and schedules without an id, are left out. */
export function alertBody(file: AlertFile, receivers: Receivers): { body: NewAlertRuleBody; kept: Kept } {
  const { owner, actions, escalation, unevaluable, original = null, ...rest } = file
  const [ownerId] = owner === null ? [] : idIn(receivers, 'person', owner)
  return {
    body: {
      ...rest,
      owner: ownerId === undefined ? null : `user:${ownerId}`,
      actions: actions.flatMap((action) => storedAction(action, receivers)),
      escalation: escalation.flatMap(({ schedule, ...step }) =>
        idIn(receivers, 'schedule', schedule).map((id) => ({ ...step, schedule: id })),
      ),
    },
    kept: { unevaluable, original },
  }
}

/** The ids of a schedule's members. */
export const memberIds = (file: ScheduleFile, receivers: Receivers): string[] =>
  file.members.flatMap((name) => idIn(receivers, 'person', name))

/** What a file must not do to a rule that exists. */
export function changeFaults({ value }: { value: AlertFile }, current: AlertFile | undefined): string[] {
  if (!current) return []
  const was = current.metric ? 'a metric' : 'an issue'
  if ((current.metric === null) !== (value.metric === null))
    return [`it is ${was} rule, and the kind of a rule does not change. Choose another name, or delete the rule first.`]
  const kept = ({ unevaluable, original = null }: AlertFile) => ({ unevaluable, original })
  const conditions = ({ issue, metric }: AlertFile) => ({ issue, metric })
  const isKept = isDeepStrictEqual(kept(value), kept(current))
  const isChanged = !isDeepStrictEqual(conditions(value), conditions(current))
  const hasKept = value.unevaluable.length > 0 || (value.original ?? null) !== null
  return hasKept && isKept && isChanged
    ? ['its conditions changed, so original and unevaluable no longer describe them. Remove both.']
    : []
}

/** The sentences of a refused value. Rethrows anything else. */
export function refusals(error: unknown): string[] {
  if (!(error instanceof MishapError) || error.status !== 400) throw error
  const fields = Object.entries(error.fields ?? {})
  return fields.length > 0 ? fields.map(([field, texts]) => `${field}: ${texts.join(' ')}`) : [error.message]
}
