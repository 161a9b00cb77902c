'use client'
import './error-links.css'
import { useTranslations } from 'next-intl'

/** Whether a link or a digest is sure, as a chip with the reason behind it. */
export function Certainty({ sure, why }: { sure: boolean; why?: string }) {
  const t = useTranslations('failures')
  return (
    <span className={`chip ${sure ? 'text-ok' : 'text-warning'}`} title={why}>
      {t(sure ? 'sure' : 'notSure')}
    </span>
  )
}
