'use client'
import { useLocale, useTranslations } from 'next-intl'
import type { RestIngestHealth } from '../../../../../../contract/status.ts'
import { sectionPath } from '../../../../../client/settings-pages.ts'
import { Link } from '../../../../../ui/link.tsx'
import { bytesText, durationText } from '../../../../../ui/relative.ts'
import { SeverityShape } from '../../../../../ui/severity.tsx'
import { useAge } from '../../../../../ui/time.tsx'
import type { Problem } from './problems.ts'

const severe: readonly Problem['id'][] = ['down', 'serverDown', 'blobs', 'waiting', 'disk', 'lost']

function useSentence() {
  const t = useTranslations('frame.status')
  const locale = useLocale()
  const status = useTranslations('status')
  const age = useAge()
  return (problem: Problem): string => {
    switch (problem.id) {
      case 'serverDown':
        return t(`serverAway.${problem.away}`, { host: problem.host })
      case 'waiting':
        return status(`waitsFor.${problem.store}`, { age: age(problem.sinceMs) })
      case 'blobs':
        return t('blobs', { reason: problem.reason })
      case 'behind':
        return t('behind', { time: durationText(problem.ms, locale) })
      case 'disk':
        return t('disk', { free: bytesText(problem.freeBytes, locale) })
      case 'jobs':
        return t('jobs', { count: problem.names.length, names: problem.names.join(', ') })
      case 'advisory':
        return t('advisory', { name: problem.name, version: problem.version })
      case 'dead':
      case 'lost':
      case 'rejecting':
        return t(problem.id, { count: problem.count })
      default:
        return t(problem.id)
    }
  }
}

/** The first sentence of the status page: all is well, or a list of what is not. */
export function StatusVerdict({
  organization,
  problems,
  health,
}: {
  organization: string
  problems: readonly Problem[]
  health: RestIngestHealth | undefined
}) {
  const t = useTranslations('frame.status')
  const frame = useTranslations('frame.health')
  const sentence = useSentence()
  if (problems.length === 0)
    return (
      <section className="mb-8" data-status="well">
        <p className="flex items-center gap-2 text-strong font-semibold">
          <SeverityShape level="ok" label="" sizePx={11} />
          {t('well')}
        </p>
        <p className="mt-1 text-ink-2">{t('wellNote', { count: health?.eventsPerMinute ?? 0 })}</p>
      </section>
    )
  return (
    <section className="mb-8" data-status="problems">
      <p className="flex items-center gap-2 text-strong font-semibold">
        <SeverityShape
          level={problems.some(({ id }) => severe.includes(id)) ? 'error' : 'warning'}
          label=""
          sizePx={11}
        />
        {t('problems', { count: problems.length })}
      </p>
      <ul className="mt-2 max-w-[72ch] border-t border-line">
        {problems.map((problem) => (
          <li key={JSON.stringify(problem)} className="border-b border-line py-2">
            {sentence(problem)}{' '}
            {problem.id === 'rejecting' && health?.rejectedProject ? (
              <Link className="link" href={sectionPath('ingest', organization, health.rejectedProject.slug)}>
                {frame('open', { project: health.rejectedProject.slug })}
              </Link>
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  )
}
