import './doctor.css'
import { useTranslations } from 'next-intl'
import type { BundleDiagnosis, DoctorScript, DoctorVerdict, ReleaseDiagnosis } from '../../../domain/doctor.ts'
import { PlainText } from '../../ui/plain-text.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { Finding } from './doctor-finding.tsx'

function Chip({ verdict }: { verdict: DoctorVerdict | 'note' }) {
  const t = useTranslations('doctor')
  const color = verdict === 'wrong' ? 'text-error' : verdict === 'ok' ? 'text-ok' : 'text-ink-3'
  return <span className={`chip ${color}`}>{t(verdict)}</span>
}

function Findings({ findings }: Pick<BundleDiagnosis, 'findings'>) {
  return (
    <div className="doctor-list">
      {findings.map((finding) => (
        <Finding key={`${finding.code}${finding.weight}`} finding={finding} count={finding.count} />
      ))}
    </div>
  )
}

function Script({ script, weightOf }: { script: DoctorScript; weightOf: (code: string) => 'wrong' | 'note' }) {
  const t = useTranslations('doctor.bundle')
  const { url, debugId, map, sources, sourcesMissing, finding } = script
  return (
    <tr>
      <td>
        <code>
          <PlainText text={url} charactersMax={200} />
        </code>
        {debugId ? <code className="block text-small text-ink-3">{debugId}</code> : null}
      </td>
      <td>
        {map === null ? (
          '–'
        ) : (
          <code>
            <PlainText text={map} charactersMax={200} />
          </code>
        )}
      </td>
      <td className="number whitespace-nowrap">
        {sources === null ? t('unread') : `${sources - (sourcesMissing ?? 0)} / ${sources}`}
      </td>
      <td>
        <Chip verdict={finding ? weightOf(finding.code) : 'ok'} />
      </td>
    </tr>
  )
}

/** The diagnosis of a bundle: its problems, and each script with its map and sources. */
export function BundleVerdict({ diagnosis }: { diagnosis: BundleDiagnosis }) {
  const t = useTranslations('doctor.bundle')
  const { verdict, findings, files, scripts, read, used } = diagnosis
  // A finding can have less weight in its bundle than alone.
  const weightOf = (code: string) => findings.find((finding) => finding.code === code)?.weight ?? 'wrong'
  return (
    <section className="mb-8" aria-label={t('title')}>
      <h3 className="mb-2 flex items-center gap-3">
        {t('title')} <Chip verdict={verdict} />
      </h3>
      <p className="text-ink-2">
        {verdict === 'empty' ? t('empty') : t('scripts', { count: scripts, read })} · {t(used ? 'used' : 'unused')}
      </p>
      {findings.length > 0 ? <Findings findings={findings} /> : verdict === 'ok' ? <p>{t('good')}</p> : null}
      {files.length > 0 ? (
        <ScrollBox label={t('title')}>
          <table className="table mt-3">
            <thead>
              <tr>
                <th scope="col">{t('script')}</th>
                <th scope="col">{t('map')}</th>
                <th scope="col" className="number">
                  {t('texts')}
                </th>
                <th scope="col">{t('verdict')}</th>
              </tr>
            </thead>
            <tbody>
              {files.map((file) => (
                <Script key={file.url + file.debugId} script={file} weightOf={weightOf} />
              ))}
            </tbody>
          </table>
        </ScrollBox>
      ) : null}
    </section>
  )
}

function EventShare({ events }: Pick<ReleaseDiagnosis, 'events'>) {
  const t = useTranslations('doctor.release')
  if (events === null) return <p className="text-ink-3">{t('mayNotRead')}</p>
  if (events.frames === 0) return <p className="text-ink-3">{t('noEvents')}</p>
  return <p className="text-ink-2">{t('events', events)}</p>
}

/** The doctor's diagnosis of a release, without a heading. `app().doctor.ofRelease` returns it. */
export function ReleaseVerdict({ diagnosis }: { diagnosis: ReleaseDiagnosis }) {
  const t = useTranslations('doctor')
  const { verdict, findings, events, bundles } = diagnosis
  return (
    <div className="doctor" data-verdict={verdict}>
      <p className="doctor-message">{t(verdict === 'wrong' ? 'release.wrong' : 'release.good')}</p>
      <EventShare events={events} />
      {findings.length > 0 ? <Findings findings={findings} /> : null}
      <ul className="doctor-list">
        {bundles.map((bundle) => (
          <li key={bundle.bundleId} className="flex flex-wrap items-center gap-3">
            {bundle.bundleId === '' ? t('release.singles') : <code>{bundle.bundleId.slice(0, 8)}</code>}
            <span className="text-ink-2">{t('bundle.scripts', { count: bundle.scripts, read: bundle.read })}</span>
            <Chip verdict={bundle.verdict} />
          </li>
        ))}
      </ul>
    </div>
  )
}
