import { useFormatter, useTranslations } from 'next-intl'
import type { RestIncidentDetails } from '../../../contract/alerts/incidents.ts'
import { PlainText } from '../../ui/plain-text.tsx'
import { Time } from '../../ui/time.tsx'

type Activity = RestIncidentDetails['activity'][number]

/** Returns a function that says why a step happened. Rows of earlier versions have only an English sentence. */
function useReason(): (data: Activity['data']) => string {
  const t = useTranslations('incidents.why')
  const format = useFormatter()
  return (data) => {
    const { why, reason, threshold, value, group, compared } = data
    if (typeof why !== 'string' || !t.has(why)) return String(reason ?? '')
    const texts = Object.fromEntries(Object.entries(data).map(([name, fact]) => [name, String(fact ?? '')]))
    if (why !== 'metric') return t(why, texts)
    const digits = { maximumSignificantDigits: 4 }
    const isShare = compared !== 'fixed'
    return t(why, {
      ...texts,
      isGroup: group ? 'yes' : 'no',
      hasData: value === null ? 'no' : 'yes',
      value: format.number(Number(value), digits),
      threshold: format.number(Number(threshold) / (isShare ? 100 : 1), {
        ...digits,
        style: isShare ? 'percent' : 'decimal',
      }),
      minutes: texts.windowMinutes ?? '',
    })
  }
}

/** One sentence about one step of an incident. Names and reasons are texts of people and events. */
function Sentence({ activity }: { activity: Activity }) {
  const t = useTranslations('incidents')
  const reasonOf = useReason()
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
    if (type === 'left') return t('activity.left', { members: Number(text('members')), reason: reasonOf(data) })
    return t(`activity.${type}`, { reason: reasonOf(data) })
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
