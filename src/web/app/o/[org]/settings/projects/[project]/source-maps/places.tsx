import { useTranslations } from 'next-intl'
import type { BundleLink } from '../../../../../../../../store/meta/artifacts/artifacts.ts'
import { PlainText } from '../../../../../../../ui/plain-text.tsx'

/** The newest `max` releases and dists of a bundle. The same files can be part of many releases. */
export function Places({ links, max }: { links: readonly BundleLink[]; max: number }) {
  const t = useTranslations('sources')
  const named = links.filter((link) => link.release !== '').toReversed()
  if (named.length === 0) return <span className="text-ink-3">{t('noRelease')}</span>
  return (
    <ul>
      {named.slice(0, max).map(({ release, dist }) => (
        <li key={JSON.stringify([release, dist])}>
          <code>
            <PlainText text={release} charactersMax={64} />
          </code>
          {dist === '' ? null : (
            <span className="text-ink-3">
              {' '}
              {t('dist')} <PlainText text={dist} charactersMax={64} />
            </span>
          )}
        </li>
      ))}
      {named.length > max ? <li className="text-ink-3">{t('morePlaces', { count: named.length - max })}</li> : null}
    </ul>
  )
}
