import './diagnostics.css'
import { useTranslations } from 'next-intl'
import type { RestSigns } from '../../../contract/diagnostics.ts'
import { PlainText } from '../../ui/plain-text.tsx'

/**
 * A minified error of React in words, to stand below the title that has only its number. Events of one issue may have other
 * numbers: `title` is the issue's, and where it does not have this one the words are said to be the event's.
 */
export function ReactWords({ react, title }: { react: NonNullable<RestSigns['react']>; title: string }) {
  const t = useTranslations('diagnostics')
  return (
    <p className="react-words">
      <span className="chip text-ink-2">{t('react', { code: String(react.code) })}</span>{' '}
      {new RegExp(`#${react.code}(?!\\d)`).test(title) ? null : <span className="text-ink-3">({t('ofEvent')}) </span>}
      {react.message === null ? (
        <span className="text-ink-3">{t('reactUnknown')}</span>
      ) : (
        <PlainText text={react.message} charactersMax={1500} />
      )}
    </p>
  )
}
