import type { Firing } from '../store/meta/alerts/firings.ts'
import type { IncidentMember, OpenIncident } from '../store/meta/alerts/incidents.ts'
import type { AlertDue, Channel, Delivery } from '../store/meta/issues/alerts.ts'
import type { Question, Receiver, RuleFacts } from './decide/facts.ts'
import { decide } from './decide.ts'

export const nowMs = 1_795_000_000_000
export const minuteMs = 60_000

export const channel = (id: number, more: Partial<Channel> = {}): Channel => ({
  id,
  organizationId: 1,
  projectId: null,
  kind: 'slack',
  name: 'c',
  sealedTarget: '',
  sealedSecret: '',
  sealedConfig: '',
  subscription: 'issues',
  active: true,
  createdMs: 0,
  failingSinceMs: null,
  lastError: '',
  lastAnswer: '',
  pausedUntilMs: 0,
  ...more,
})
export const due = (issueId: number, more: Partial<AlertDue> = {}): AlertDue => ({
  id: issueId * 10,
  organizationId: 1,
  projectId: 1,
  issueId,
  kind: 'new',
  eventId: `e${issueId}`,
  atMs: nowMs,
  untilMs: 0,
  ...more,
})
export const many = (from: number, count: number) => Array.from({ length: count }, (_, at) => due(from + at))

/** An issue that somebody has closed. */
export const closed = (id: number, why: 'issue_resolved' | 'issue_archived'): Question['closedIssues'] =>
  new Map([[id, { why, issue: `WEB-${id}` }]])

/** A question about nothing. */
export const base: Question = {
  nowMs,
  due: [],
  firings: [],
  rules: new Map(),
  incidents: [],
  closedIssues: new Map(),
  titles: new Map(),
  mutes: [],
  channels: [],
  recent: [],
  recipientsOf: () => [''],
  receiversOf: () => [],
  receiverOf: () => undefined,
  onCall: () => [],
}

export const rule = (id: number, more: Partial<RuleFacts> = {}): RuleFacts => ({
  id,
  name: `Rule ${id}`,
  kind: 'metric',
  isActive: true,
  mutedUntilMs: null,
  intervalMinutes: 30,
  resolveMessage: true,
  escalation: [],
  onCallSchedules: [],
  trackers: [],
  ...more,
})
export const firing = (ruleId: number, more: Partial<Firing> & { issue?: number } = {}): Firing => {
  const { issue, ...rest } = more
  return {
    id: 1,
    organizationId: 1,
    ruleId,
    key: '',
    change: 'start',
    level: 'warning',
    atMs: nowMs,
    value: 5,
    threshold: 3,
    sentence: 'Above 3.',
    cause: { projectIds: [1], issueIds: issue === undefined ? [] : [issue], release: '', deployId: null },
    trigger: 'fixed',
    eventId: '',
    sinceMs: nowMs,
    decidedMs: null,
    ...rest,
  }
}
export const slack: Receiver = { key: 'channel:1', channelId: 1, userId: null, recipients: [''], notBeforeMs: 0 }
export const person = (userId: string): Receiver => ({
  key: `person:${userId}`,
  channelId: null,
  userId,
  recipients: [`${userId}@x.test`],
  notBeforeMs: 0,
})

/** Asks step by step, as the product does: what a step stores is what the next one reads. */
export function story(rules: RuleFacts[], more: Partial<Question> = {}) {
  const incidents = new Map<number, OpenIncident>()
  const log: Delivery[] = []
  return {
    incidents,
    log,
    step: (minute: number, firings: Firing[], question: Partial<Question> = {}) => {
      const atMs = nowMs + minute * minuteMs
      const decided = decide({
        ...base,
        nowMs: atMs,
        rules: new Map(rules.map((item) => [item.id, item])),
        receiversOf: () => [slack],
        receiverOf: (key) => [slack, person('ann'), person('bob')].find((item) => item.key === key),
        incidents: structuredClone([...incidents.values()]),
        recent: structuredClone(log),
        firings: firings.map((item) => ({ ...item, atMs })),
        ...more,
        ...question,
      })
      const ids = decided.incidents.map(({ incident, members, activities }) => {
        const id = incident.id || incidents.size + 1
        const stored = incidents.get(id)?.members ?? []
        const same = (a: IncidentMember) => (b: IncidentMember) =>
          a.ruleId === b.ruleId && a.issueId === b.issueId && a.group?.key === b.group?.key
        const kept = stored.filter((member) => !members.some(same(member)))
        incidents.set(id, structuredClone({ incident: { ...incident, id }, members: [...kept, ...members] }))
        return { id, activities: activities.map(({ kind }) => kind) }
      })
      for (const { delivery, incident } of decided.deliveries)
        log.push({
          ...delivery,
          incidentId: incident === null ? null : (ids[incident]?.id ?? null),
          id: log.length + 1,
          attempts: 0,
          createdMs: atMs,
          sentMs: null,
        })
      return {
        decided,
        told: decided.deliveries
          .filter(({ delivery }) => delivery.status === 'queued')
          .map(({ delivery }) => [delivery.change, delivery.level, delivery.userId ?? `channel ${delivery.channelId}`]),
        activities: ids.flatMap((item) => item.activities),
      }
    },
  }
}
