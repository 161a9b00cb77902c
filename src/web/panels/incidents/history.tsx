import { useTranslations } from 'next-intl'
import type { RestIncidentDetails } from '../../../contract/alerts/incidents.ts'
import { PlainText } from '../../ui/plain-text.tsx'
import { Time } from '../../ui/time.tsx'

type Activity = RestIncidentDetails['activity'][number]

/** One sentence about one step of an incident. Names and reasons are texts of people and events. */
function Sentence({ activity }: { activity: Activity }) {
  const t = useTranslations('incidents')
  const { type, person, data } = activity
  const text = (name: string): string => String(data[name] ?? '')
  const level = (name: string): string => t(`status.${text(name) === 'critical' ? 'critical' : 'warning'}`)
  const by = person ? person.name || person.email : data.message === undefined ? t('somebody') : t('byLink')
  const sentence = (): string => {
    if (type === 'escalated')
      return data.to ? t('activity.escalated', { name: text('to') }) : t('activity.escalatedNobody')
    if (type === 'snoozed')
      return data.until === null ? t('activity.woken', { name: by }) : t('activity.snoozed', { name: by })
    if (type === 'level') return t('activity.level', { from: level('from'), to: level('to') })
    if (type === 'acknowledged' || type === 'resolved') return t(`activity.${type}`, { name: by })
    if (type === 'started' || type === 'joined') return t(`activity.${type}`, { rule: text('rule') })
    if (type === 'left') return t('activity.left', { members: Number(text('members')), reason: text('reason') })
    return t(`activity.${type}`, { reason: text('reason') })
  }
  return <PlainText text={sentence()} />
}

/** What happened to an incident, newest first. */
export function IncidentHistory({ activity }: { activity: RestIncidentDetails['activity'] }) {
  return (
    <ol className="border-t border-line">
      {activity.map((step) => (
        <li key={step.id} className="flex flex-wrap items-baseline gap-x-4 border-b border-line py-1.5">
          <Time at={Date.parse(step.date)} className="text-small text-ink-3" />
          <span className="min-w-0 break-words">
            <Sentence activity={step} />
          </span>
        </li>
      ))}
    </ol>
  )
}
