import './release-compare.css'
import { useTranslations } from 'next-intl'
import type { RestReleaseCompare } from '../../../contract/release-compare.ts'
import { versionInfo } from '../../../domain/release-order.ts'
import { releasePath } from '../../client/release-path.ts'
import { buttonClass } from '../../ui/forms/controls.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ComparedIssues, type ProjectPlaces } from './compared-issues.tsx'
import { SideBySide } from './side-by-side.tsx'
import { VerdictBand } from './verdict.tsx'

const kinds = ['new', 'more', 'fewer', 'gone'] as const

/** Two releases side by side: the verdict, the figures, and the issues that differ. */
export function Comparison({
  organization,
  compared,
  places,
}: {
  organization: string
  compared: RestReleaseCompare
  places: ProjectPlaces
}) {
  const t = useTranslations('compare')
  const { a, b } = compared
  const entries = [b, a].flatMap(({ version, health }) =>
    health?.crashFreeSessions ? [{ version, share: health.crashFreeSessions }] : [],
  )
  return (
    <>
      <VerdictBand compared={compared} entries={entries}>
        <p className="verdict-acts">
          {[b, a].map(({ version }) => (
            <Link key={version} className={buttonClass({ compact: true })} href={releasePath(organization, version)}>
              <PlainText text={t('open', { release: versionInfo(version).description })} charactersMax={60} />
            </Link>
          ))}
        </p>
      </VerdictBand>
      <div className="compare-body">
        <SideBySide compared={compared} />
        {kinds.map((kind) => (
          <ComparedIssues
            key={kind}
            organization={organization}
            kind={kind}
            list={compared[kind]}
            a={a.version}
            b={b.version}
            places={places}
          />
        ))}
        <p className="compare-hint">
          {t('same', { count: compared.same })} {compared.truncated ? `${t('truncated')} ` : ''}
          {t('hint')}
        </p>
      </div>
    </>
  )
}
