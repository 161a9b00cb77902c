'use client'
import './error-links.css'
import { useTranslations } from 'next-intl'

/** A chip that shows whether a link or a digest is certain. `why` is its tooltip. */
export function Certainty({ sure, why }: { sure: boolean; why?: string }) {
  const t = useTranslations('failures')
  return (
    <span className={`chip ${sure ? 'text-ok' : 'text-warning'}`} title={why}>
      {t(sure ? 'sure' : 'notSure')}
    </span>
  )
}
