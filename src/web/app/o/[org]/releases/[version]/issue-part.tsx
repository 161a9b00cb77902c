import { getTranslations } from 'next-intl/server'
import { changedTerm, type LoadedRelease, type ReleaseHere } from '../../../../../panels/releases/load-release.ts'
import { versionTerm } from '../../../../../panels/releases/params.ts'
import { ReleaseIssues } from '../../../../../panels/releases/release-issues.tsx'
import { Section } from '../../../../../ui/section.tsx'

/** One list of the release's issues: first seen in it, regressed or escalating, or all with events of it. */
export async function IssuePart({
  here,
  loaded,
  kind,
  places,
}: {
  here: ReleaseHere
  loaded: LoadedRelease
  kind: 'new' | 'changed' | 'all'
  places: Readonly<Record<string, number>>
}) {
  const t = await getTranslations('releases.page')
  const compare = await getTranslations('compare')
  const base = `/o/${here.organization.slug}`
  const { version } = here.release
  const parts = {
    new: [loaded.newIssues, t('newIssues'), t('newIssuesNone'), versionTerm('firstRelease', version)],
    changed: [loaded.changedIssues, compare('changed'), compare('changedNone'), changedTerm(version)],
    all: [loaded.allIssues, t('allIssues'), t('allIssuesNone'), versionTerm('release', version)],
  } as const
  const [found, label, none, query] = parts[kind]
  return (
    <Section id={`issues-${kind}`} title={label} note={found ? found.hits : null}>
      {found === undefined ? (
        <p className="text-ink-2">{t('issuesAway')}</p>
      ) : found.rows.length === 0 ? (
        <p className="text-ink-2">{none}</p>
      ) : (
        <ReleaseIssues
          base={base}
          label={label}
          rows={found.rows}
          hits={found.hits}
          streamPath={`${base}/issues?q=${encodeURIComponent(query)}&t=90d`}
          places={places}
          range={loaded.asked}
        />
      )}
    </Section>
  )
}
