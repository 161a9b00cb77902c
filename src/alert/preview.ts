import type { NewAlertRuleBody } from '../contract/alerts/alerts.ts'
import type { RestAlertPreview } from '../contract/alerts/alerts-preview.ts'
import type { QueryDeps, View } from '../query/issues/issue.ts'
import type { AlertKind } from '../store/meta/issues/alerts.ts'
import type { AlertDeps } from './deps.ts'
import { withFacts } from './facts.ts'
import { mailOf } from './mail/message-mail.ts'
import { ruleMessage } from './message/incident.ts'
import type { AlertedIssue } from './message/message.ts'
import { metricSentence } from './rules/firings.ts'
import { slackOf } from './send/slack.ts'
import { webhookOf } from './send/webhook.ts'

type PreviewDeps = Pick<QueryDeps, 'meta' | 'events'> & Pick<AlertDeps, 'clock'> & { config: { url: string } }
type Rule = Pick<NewAlertRuleBody, 'name' | 'issue' | 'metric'>

/** The numbers of an example: a message that was sent has those of its rule, its incident and itself. */
const exampleId = 1
const builtInKinds = ['new', 'regression', 'escalation'] as const satisfies readonly AlertKind[]

/** The issue of the view that was seen last, with its newest event; undefined if there is none. */
async function recentIssue(deps: PreviewDeps, view: View, kind: AlertKind): Promise<AlertedIssue | undefined> {
  const projectIds = view.projects.map(({ id }) => id)
  const [issue] = projectIds.length > 0 ? await deps.meta.issues.listIssues({ projectIds, sort: 'last', max: 1 }) : []
  const project = issue && view.projects.find(({ id }) => id === issue.projectId)
  if (!issue || !project) return undefined
  const hashes = (await deps.meta.issues.hashesOf([issue.id])).get(issue.id) ?? []
  const [event] = await deps.events.ofIssue({ projectId: issue.projectId, hashes, order: 'newest', max: 1 })
  return { issue, project, kind, eventId: event?.eventId ?? '' }
}

/** A value that crosses the critical threshold by a fifth. */
function exampleFiring({ threshold: { critical, direction } }: NonNullable<Rule['metric']>) {
  const step = critical === 0 ? 1 : Math.abs(critical) / 5
  return {
    change: 'start' as const,
    value: direction === 'above' ? critical + step : critical - step,
    threshold: critical,
  }
}

/**
 * Returns what the first message of an unsaved rule would say, about the issue of its projects that was seen last. The
 * formats are those of the transports. Throws STORE_UNAVAILABLE.
 */
export async function previewRule(deps: PreviewDeps, view: View, rule: Rule): Promise<RestAlertPreview> {
  const { name, issue, metric } = rule
  const trigger = issue?.when[0]?.type
  const recent = await recentIssue(deps, view, builtInKinds.find((kind) => kind === trigger) ?? 'alert')
  // A message about logs or spans names no issue.
  const alert = metric && metric.plan.dataset !== 'errors' ? undefined : recent
  const firing = metric && exampleFiring(metric)
  const { url } = deps.config
  const plain = ruleMessage({
    delivery: {
      id: exampleId,
      kind: metric || !alert ? 'incident' : 'issue',
      change: 'start',
      level: metric ? 'critical' : 'warning',
      ruleId: exampleId,
      incidentId: exampleId,
      more: 0,
    },
    organization: view.organization,
    url,
    alerts: alert ? [alert] : [],
    windowMinutes: metric?.windowMinutes ?? 0,
    incident: { title: name, startedMs: deps.clock.now(), endedMs: null },
    open: 1,
    members:
      metric && firing
        ? [
            {
              ruleId: exampleId,
              group: null,
              endedMs: null,
              value: firing.value,
              threshold: firing.threshold,
              sentence: metricSentence(name, metric, firing),
            },
          ]
        : [],
    ruleName: name,
    // The page says that this link is of no message.
    acknowledge: `${url}/acknowledge?token=example`,
  })
  const { message } = await withFacts(deps, plain)
  return {
    issue: alert?.issue.shortId ?? null,
    slack: slackOf(message, false),
    mail: mailOf(message),
    json: webhookOf(message, exampleId),
  }
}
