import { useTranslations } from 'next-intl'
import type { BundleLink } from '../../../../../../../../store/meta/artifacts.ts'
import { PlainText } from '../../../../../../../ui/plain-text.tsx'

/** Releases and dists that a bundle belongs to. */
export function Places({ links }: { links: readonly BundleLink[] }) {
  const t = useTranslations('sources')
  const named = links.filter((one) => one.release !== '')
  if (named.length === 0) return <span className="text-ink-3">{t('noRelease')}</span>
  return (
    <ul>
      {named.map(({ release, dist }) => (
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
    </ul>
  )
}
