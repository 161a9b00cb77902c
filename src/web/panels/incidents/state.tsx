import { useTranslations } from 'next-intl'
import type { RestIncident } from '../../../contract/alerts/incidents.ts'
import { SeverityShape } from '../../ui/severity.tsx'

const shapes = { warning: 'warning', critical: 'error', acknowledged: 'info', resolved: 'ok' } as const

/** The state of an incident, as a shape and a word. */
export function IncidentState({ status }: { status: RestIncident['status'] }) {
  const t = useTranslations('incidents.status')
  return (
    <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
      <SeverityShape level={shapes[status]} label="" />
      {t(status)}
    </span>
  )
}
