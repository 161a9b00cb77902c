'use client'
import { ChevronLeft } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { Link } from '../../ui/link.tsx'

/** The way back to the search over traces. */
export function BackLink({ organization }: { organization: string }) {
  const t = useTranslations('trace')
  return (
    <Link className="tp-back" href={`/o/${organization}/traces`}>
      <ChevronLeft size={14} strokeWidth={1.75} aria-hidden="true" />
      {t('traces')}
    </Link>
  )
}
