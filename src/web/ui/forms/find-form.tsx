'use client'
import { useTranslations } from 'next-intl'
import { withBase } from '../../base-path.ts'
import { Button, Input } from './controls.tsx'

/** A search form. `/find` opens a known id, else it searches the issues of `org`. */
export function FindForm({ org, value }: { org?: string | undefined; value?: string }) {
  const t = useTranslations('missing')
  return (
    <form action={withBase('/find')} className="mt-5 flex max-w-[480px] gap-2">
      {org ? <input type="hidden" name="org" value={org} /> : null}
      <Input type="search" name="q" aria-label={t('search')} placeholder={t('search')} defaultValue={value} />
      <Button type="submit">{t('go')}</Button>
    </form>
  )
}
