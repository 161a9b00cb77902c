'use client'
import { useParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { withBase } from '../base-path.ts'
import { Button, Input } from './controls.tsx'

/** The not-found page: says so and searches the issues for what was meant. */
export function MissingScreen() {
  const t = useTranslations('missing')
  const { org } = useParams<{ org?: string }>()
  return (
    <div className="max-w-[72ch] px-5 py-12">
      <h1>{t('title')}</h1>
      <p className="mt-2 text-ink-2">{t('todo')}</p>
      <form action={withBase('/find')} className="mt-5 flex max-w-[480px] gap-2">
        {org ? <input type="hidden" name="org" value={org} /> : null}
        <Input type="search" name="q" aria-label={t('search')} placeholder={t('search')} />
        <Button type="submit">{t('go')}</Button>
      </form>
    </div>
  )
}
