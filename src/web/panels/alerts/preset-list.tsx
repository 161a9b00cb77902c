'use client'
import { useTranslations } from 'next-intl'
import { Link } from '../../ui/link.tsx'
import { presetIds } from './presets.ts'

/** Rules that most teams want, each opens the form. */
export function Presets({ organization }: { organization: string }) {
  const t = useTranslations('alerts.presets')
  return (
    <section className="alert-presets" aria-labelledby="alert-presets-title">
      <h2 id="alert-presets-title">{t('title')}</h2>
      <p className="alert-note">{t('text')}</p>
      <ul>
        {presetIds.map((id) => (
          <li key={id}>
            <Link href={`/o/${organization}/alerts/new?preset=${id}`}>{t(`names.${id}`)}</Link>
            <span className="alert-note">{t(`texts.${id}`)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
