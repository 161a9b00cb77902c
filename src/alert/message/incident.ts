import type { Incident, IncidentMember } from '../../store/meta/alerts/incidents.ts'
import type { Delivery } from '../../store/meta/issues/alerts.ts'
import type { Organization } from '../../store/meta/meta.ts'
import { type AlertedIssue, builtInMessage, line, type Message } from './message.ts'

type Parts = {
  delivery: Pick<Delivery, 'id' | 'kind' | 'change' | 'level' | 'ruleId' | 'incidentId' | 'more'>
  organization: Organization
  url: string
  alerts: AlertedIssue[]
  incident: Pick<Incident, 'title' | 'startedMs' | 'endedMs'> | undefined
  members: readonly Pick<IncidentMember, 'ruleId' | 'value' | 'threshold' | 'sentence' | 'group' | 'endedMs'>[]
  /** Members of the incident that are open, beyond those that were read, too. */
  open: number
  /** Name of the rule; undefined if it was deleted. */
  ruleName: string | undefined
  /** Of its metric; 0 if it has none. */
  windowMinutes: number
  /** Signed; undefined if there is nothing to acknowledge. */
  acknowledge: string | undefined
}

const levelWords = { warning: 'Warning', critical: 'Critical' } as const

function headlineOf({ delivery, incident }: Parts, plain: string): string {
  if (delivery.kind !== 'incident' || !incident) return plain
  const title = line(incident.title, 150)
  if (delivery.change === 'end') return `Resolved: ${title}`
  const level = levelWords[delivery.level === 'critical' ? 'critical' : 'warning']
  return delivery.change === 'start' ? `${level}: ${title}` : `Update, ${level.toLowerCase()}: ${title}`
}

/** How long an incident lasted, in the largest unit that fits. */
function durationText(ms: number): string {
  const minutes = Math.max(1, Math.round(ms / 60_000))
  if (minutes < 120) return `${minutes} min`
  return minutes < 48 * 60 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1440)} days`
}

const groupsShown = 10

/** The groups of a rule that fire, such as `/checkout (812), /cart (640) and 3 more`. '' for fewer than two. */
function groupsText({ delivery, members, open }: Parts): string {
  const firing = members.filter(({ endedMs }) => endedMs === null)
  const groups = firing.flatMap(({ ruleId, group, value }) =>
    group && ruleId === delivery.ruleId ? [{ name: line(group.name, 60), value }] : [],
  )
  if (groups.length < 2) return ''
  // Other rules that joined are no groups of this rule.
  const count = open - (firing.length - groups.length)
  const shown = groups.slice(0, groupsShown)
  const more = count - shown.length
  const texts = shown.map(({ name, value }) =>
    value === null ? name : `${name} (${String(Number(value.toPrecision(4)))})`,
  )
  return `${count} groups fire: ${texts.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`
}

function sentenceOf(parts: Parts): string {
  const { delivery, incident, members, ruleName } = parts
  const rule = ruleName === undefined ? '' : `Rule: ${line(ruleName, 120)}.`
  if (!incident) return rule
  if (delivery.change === 'end' && incident.endedMs !== null)
    return `${rule} It lasted ${durationText(incident.endedMs - incident.startedMs)}.`.trim()
  const mine = members.find((member) => member.ruleId === delivery.ruleId && member.sentence !== '')
  const groups = groupsText(parts)
  return [rule, groups || (mine ? line(mine.sentence, 300) : '')].filter(Boolean).join(' ')
}

/** Returns the message of a delivery that an alert rule sends. */
export function ruleMessage(parts: Parts): Message {
  const { delivery, organization, url, alerts, incident, members, ruleName, windowMinutes, acknowledge } = parts
  const kind = delivery.kind === 'incident' || delivery.kind === 'issue' ? 'issue' : 'summary'
  const plain = builtInMessage({ id: `delivery-${delivery.id}`, organization, url, kind, alerts, more: delivery.more })
  const member = members.find(({ ruleId }) => ruleId === delivery.ruleId)
  const isIncident = delivery.kind === 'incident'
  return {
    ...plain,
    kind: isIncident ? 'incident' : kind,
    change: delivery.change,
    level: delivery.change === 'end' ? 'ok' : delivery.level === '' ? 'warning' : delivery.level,
    rule: delivery.ruleId === null ? null : { id: String(delivery.ruleId), name: line(ruleName ?? '', 200) },
    incidentId: delivery.incidentId,
    headline: headlineOf(parts, plain.headline),
    sentence: kind === 'summary' ? plain.sentence : sentenceOf(parts),
    measure:
      member && member.value !== null
        ? {
            label: line(incident?.title ?? '', 150),
            value: member.value,
            threshold: member.threshold,
            unit: '',
            windowMinutes,
            durationMs: incident?.endedMs ? incident.endedMs - incident.startedMs : null,
          }
        : null,
    links: {
      open:
        isIncident && delivery.incidentId !== null
          ? `${url}/o/${organization.slug}/alerts/incidents/${delivery.incidentId}`
          : plain.links.open,
      ...(acknowledge === undefined ? {} : { acknowledge }),
    },
  }
}
