import { type AlertedIssue, issueUrl, type Message } from '../message/message.ts'

/** One call in the form that receivers of issue-alert webhooks know. */
type EventAlertCall = { id: string; resource: 'event_alert' | 'metric_alert'; body: object }

const actor = { type: 'application', id: 'mishap', name: 'Mishap' }

function eventOf(message: Message, { issue, project, eventId }: AlertedIssue): object {
  const url = issueUrl(message, issue)
  return {
    event_id: eventId,
    project: project.id,
    title: issue.title,
    message: issue.title,
    culprit: issue.culprit,
    level: issue.level,
    platform: issue.platform,
    release: issue.lastRelease,
    metadata: issue.metadata,
    datetime: new Date(issue.lastSeenMs).toISOString(),
    timestamp: issue.lastSeenMs / 1000,
    issue_id: String(issue.id),
    issue_url: `${message.url}/api/0/organizations/${message.organization.slug}/issues/${issue.id}/`,
    url: `${message.url}/api/0/projects/${message.organization.slug}/${project.slug}/events/${eventId}/`,
    web_url: `${url}/events/${eventId}`,
  }
}

/**
 * Returns a call for each issue of a message, as these receivers know one event only. A message without issues has the
 * form of a metric alert. The ids are the same in every attempt.
 */
export function eventAlertsOf(message: Message, deliveryId: number): EventAlertCall[] {
  const installation = { uuid: uuidOf(message) }
  const rule = message.rule?.name ?? 'Notifications'
  if (message.alerts.length === 0)
    return [
      {
        id: `delivery-${deliveryId}`,
        resource: 'metric_alert',
        body: {
          action: message.change === 'end' ? 'resolved' : message.level === 'critical' ? 'critical' : 'warning',
          actor,
          installation,
          data: {
            description_title: message.headline,
            description_text: message.sentence,
            web_url: message.links.open,
            metric_alert: { id: message.rule?.id ?? '', title: rule, organization_id: String(message.organization.id) },
          },
        },
      },
    ]
  return message.alerts.map((alert) => ({
    id: `delivery-${deliveryId}-${alert.issue.id}`,
    resource: 'event_alert',
    body: {
      action: 'triggered',
      actor,
      installation,
      data: { event: eventOf(message, alert), triggered_rule: rule, issue_alert: { title: rule, settings: [] } },
    },
  }))
}

/** Receivers tell installations apart by a UUID. An organization always has the same. */
const uuidOf = ({ organization }: Message): string =>
  `00000000-0000-4000-8000-${organization.id.toString(16).padStart(12, '0').slice(-12)}`
