'use client'
import { useParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { FindForm } from './find-form.tsx'

/** The not-found page, with a search of the issues. */
export function NotFoundScreen() {
  const t = useTranslations('missing')
  const { org } = useParams<{ org?: string }>()
  return (
    <div className="max-w-[72ch] px-5 py-12">
      <h1>{t('title')}</h1>
      <p className="mt-2 text-ink-2">{t('todo')}</p>
      <FindForm org={org} />
    </div>
  )
}
