import { getTranslations } from 'next-intl/server'
import { adoptionOf } from '../../../../../../query/release-adoption.ts'
import { app } from '../../../../../handle.ts'
import { AdoptionChart } from '../../../../../panels/release-compare/adoption-chart.tsx'
import type { ReleaseJudgement } from '../../../../../panels/release-compare/load.ts'
import type { LoadedRelease, ReleaseHere } from '../../../../../panels/releases/load-release.ts'
import { unlessAway } from '../../../../../server/unless-away.ts'
import { Section } from '../../../../../ui/section.tsx'

const dayMs = 86_400_000
/** Days before and after the release was deployed or created. */
const daysBefore = 5
const daysMax = 14

/** The share of sessions of the release and of those before it, around its deploy. Nothing without sessions. */
export async function AdoptionPart({
  here,
  loaded,
  judged,
}: {
  here: ReleaseHere
  loaded: LoadedRelease
  judged: Promise<ReleaseJudgement | 'away'>
}) {
  const t = await getTranslations('compare.adoption')
  const found = await judged
  if (found === 'away' || found.shares.length === 0) return null
  const nowMs = app().clock.now()
  const deployedMs = here.release.lastDeploy ? Date.parse(here.release.lastDeploy.dateFinished) : undefined
  const beginsMs = deployedMs ?? Date.parse(here.release.firstEvent ?? here.release.dateCreated)
  const fromMs = beginsMs - daysBefore * dayMs
  const range = { fromMs, toMs: Math.min(nowMs, fromMs + daysMax * dayMs), period: 'range' }
  const adoption = await unlessAway(
    adoptionOf(app(), {
      projects: loaded.projects,
      environments: loaded.environments,
      range,
      versions: found.shares.map((share) => share.version),
    }),
  )
  return (
    <Section id="adoption" title={t('title')} note={t('note')}>
      {adoption ? (
        <AdoptionChart startsMs={adoption.startsMs} series={adoption.series} deployedMs={deployedMs} />
      ) : (
        <p className="text-ink-2">{t('none')}</p>
      )}
    </Section>
  )
}
