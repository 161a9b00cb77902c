import { useLocale, useTranslations } from 'next-intl'
import type { RestDeploy } from '../../../contract/releases.ts'
import { safeHref } from '../../text.ts'
import { PlainText } from '../../ui/plain-text.tsx'
import { durationText, relativeParts } from '../../ui/relative.ts'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { Time } from '../../ui/time.tsx'

/** Duration of a deploy, ms. Undefined if its start is unknown or after its end. */
function tookMsOf({ dateStarted, dateFinished }: RestDeploy): number | undefined {
  const tookMs = dateStarted === null ? Number.NaN : Date.parse(dateFinished) - Date.parse(dateStarted)
  return tookMs >= 0 ? tookMs : undefined
}

/** The deploys of a release with environment and time, newest first. */
export function Deploys({ deploys }: { deploys: readonly RestDeploy[] }) {
  const t = useTranslations('releases.page')
  const locale = useLocale()
  const title = useTranslations('releases')('deploys')
  const time = useTranslations('time')
  const tookText = (tookMs: number) => {
    const { unit, count } = relativeParts(tookMs)
    return tookMs < 60_000 ? durationText(tookMs, locale) : time(unit, { count })
  }
  return (
    <ScrollBox label={title}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{t('environment')}</th>
            <th scope="col">{t('finished')}</th>
            <th scope="col">{t('took')}</th>
            <th scope="col">{t('name')}</th>
            <th scope="col">{t('url')}</th>
          </tr>
        </thead>
        <tbody>
          {deploys.map((deploy) => {
            const href = safeHref(deploy.url)
            const tookMs = tookMsOf(deploy)
            return (
              <tr key={deploy.id}>
                <td>
                  <PlainText text={deploy.environment} charactersMax={64} />
                </td>
                <td className="whitespace-nowrap">
                  <Time at={deploy.dateFinished} />
                </td>
                <td className="whitespace-nowrap">{tookMs === undefined ? '–' : tookText(tookMs)}</td>
                <td>{deploy.name ? <PlainText text={deploy.name} charactersMax={64} /> : '–'}</td>
                <td className="break-all">
                  {href ? (
                    <a className="link" href={href} rel="noreferrer noopener nofollow" target="_blank">
                      <PlainText text={deploy.url ?? ''} charactersMax={200} />
                    </a>
                  ) : deploy.url ? (
                    <PlainText text={deploy.url} charactersMax={200} />
                  ) : (
                    '–'
                  )}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </ScrollBox>
  )
}
