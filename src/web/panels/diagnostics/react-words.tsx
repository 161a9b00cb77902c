import './diagnostics.css'
import { useTranslations } from 'next-intl'
import type { RestDiagnostics } from '../../../contract/diagnostics.ts'
import { PlainText } from '../../ui/plain-text.tsx'

/**
 * The message of a minified React error. The title has only its number. Other events of the issue can have other
 * numbers: if `title` (the issue's) lacks this number, a note says that the message belongs to this event.
 */
export function ReactWords({ react, title }: { react: NonNullable<RestDiagnostics['react']>; title: string }) {
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
