import type { AlertAction, EscalationStep } from '../../contract/alerts/alerts.ts'
import type { MetaWith } from '../../store/meta/meta-store.ts'

export type TargetDeps = {
  meta: MetaWith<
    'alerts.channelsOf' | 'organizations.membersOf' | 'incidents.listSchedules' | 'trackers.integrationsOf'
  >
}

type Fields = Record<string, string[]>

/** Ids of everything in an organization that an action can name. */
async function targetsOf({ meta }: TargetDeps, organizationId: number) {
  const channels = await meta.alerts.channelsOf(organizationId)
  const members = await meta.organizations.membersOf(organizationId)
  return {
    channels: new Set(channels.map(({ id }) => String(id))),
    people: new Set(members.map(({ userId }) => userId)),
    schedules: new Set((await meta.incidents.listSchedules(organizationId)).map(({ id }) => String(id))),
    trackers: new Set((await meta.trackers.integrationsOf(organizationId)).map(({ id }) => String(id))),
  }
}

type Targets = Awaited<ReturnType<typeof targetsOf>>

function actionMistake(action: AlertAction, targets: Targets, isMetric: boolean): string | undefined {
  switch (action.type) {
    case 'channel':
      return targets.channels.has(action.channel) ? undefined : 'There is no such channel.'
    case 'person':
      return targets.people.has(action.person) ? undefined : 'This person is no member.'
    case 'on_call':
      return targets.schedules.has(action.schedule) ? undefined : 'There is no such on-call schedule.'
    case 'tracker':
      // A stored action that does nothing would look like one that works.
      if (isMetric) return 'A metric rule creates no issue in a tracker. Its incident has no issue to link.'
      if (Object.keys(action.options).length > 0) return 'options: a tracker action has none.'
      return targets.trackers.has(action.tracker) ? undefined : 'There is no such tracker.'
    default:
      return undefined
  }
}

/** Returns the mistakes in the targets of a rule by field: `actions.0`, `escalation.1`, `owner`. */
export async function targetMistakes(
  deps: TargetDeps,
  organizationId: number,
  rule: {
    actions: readonly AlertAction[]
    escalation: readonly EscalationStep[]
    ownerId: string | null
    metric: unknown
  },
): Promise<Fields> {
  const targets = await targetsOf(deps, organizationId)
  const fields: Fields = {}
  for (const [at, action] of rule.actions.entries()) {
    const mistake = actionMistake(action, targets, Boolean(rule.metric))
    if (mistake) fields[`actions.${at}`] = [mistake]
  }
  for (const [at, { schedule }] of rule.escalation.entries())
    if (!targets.schedules.has(schedule)) fields[`escalation.${at}`] = ['There is no such on-call schedule.']
  if (rule.ownerId !== null && !targets.people.has(rule.ownerId)) fields.owner = ['This person is no member.']
  return fields
}
