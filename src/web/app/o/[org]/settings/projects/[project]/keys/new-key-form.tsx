'use client'
import { useTranslations } from 'next-intl'
import { noState } from '../../../../../../../client/form.ts'
import { ShortForm } from '../../../../../../../ui/forms/short-form.tsx'
import { createKeyAction } from './actions.ts'
import type { KeyPlace } from './project-key-row.tsx'

/** The form for a new key with a label. */
export function NewKeyForm({ place }: { place: KeyPlace }) {
  const t = useTranslations('keys')
  return (
    <ShortForm
      action={createKeyAction}
      initial={noState}
      form="new-key"
      className="mt-6 flex max-w-[460px] flex-col gap-3"
      hidden={place}
      field={{ id: 'label', name: 'label', label: t('newLabel'), errorsOf: ['name'] }}
      submit={t('create')}
    />
  )
}
