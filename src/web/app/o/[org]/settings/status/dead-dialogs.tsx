'use client'
import { useQuery } from '@tanstack/react-query'
import { useLocale, useTranslations } from 'next-intl'
import { useState } from 'react'
import type { RestDeadLetter, RestDeadLetterContent } from '../../../../../../contract/dead-letters.ts'
import { ApiError, apiFetch } from '../../../../../client/api.ts'
import { Dialog } from '../../../../../ui/dialog.tsx'
import { Button } from '../../../../../ui/forms/controls.tsx'
import { PlainText } from '../../../../../ui/plain-text.tsx'
import { bytesText } from '../../../../../ui/relative.ts'
import { SeverityShape } from '../../../../../ui/severity.tsx'

function Excerpt({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <pre className="max-h-[50vh] overflow-auto whitespace-pre-wrap break-all" tabIndex={0} data-testid="dead-text">
      <PlainText text={text} charactersMax={20_000} />
    </pre>
  )
}

/** The beginning of a record as text, loaded only after the person has confirmed a warning. */
export function PreviewDialog({
  path,
  letter,
  onClose,
}: {
  path: string
  letter: RestDeadLetter
  onClose: () => void
}) {
  const t = useTranslations('operation.dead')
  const locale = useLocale()
  const [isShown, setShown] = useState(false)
  const { data, error } = useQuery({
    queryKey: ['dead', path, letter.id],
    queryFn: ({ signal }) => apiFetch<RestDeadLetterContent>(`${path}${letter.id}/`, { signal }),
    enabled: isShown,
    gcTime: 0,
  })
  return (
    <Dialog title={t('lookTitle', { id: letter.id })} onClose={onClose}>
      <p className="mb-3 flex max-w-[60ch] items-baseline gap-2">
        <SeverityShape level="warning" label="" />
        <span>{t('warning')}</span>
      </p>
      {isShown ? null : <Button onClick={() => setShown(true)}>{t('show')}</Button>}
      {error ? (
        <p role="alert" className="text-error">
          {error instanceof ApiError && error.code !== 'NETWORK' ? error.message : t('failed')}
        </p>
      ) : null}
      {data ? (
        <>
          <p className="mb-1 text-small text-ink-3">
            {t('shown', { shown: bytesText(data.textBytes, locale), total: bytesText(data.totalBytes, locale) })}
          </p>
          <Excerpt text={data.text} />
        </>
      ) : null}
    </Dialog>
  )
}

/** Asks for confirmation before a record is deleted. */
export function DeleteDialog({
  letter,
  onDelete,
  onClose,
}: {
  letter: RestDeadLetter
  onDelete: () => void
  onClose: () => void
}) {
  const t = useTranslations('operation.dead')
  return (
    <Dialog title={t('deleteTitle', { id: letter.id })} onClose={onClose}>
      <p className="mb-3 max-w-[60ch]">{t('deleteNote')}</p>
      <Button look="danger" onClick={onDelete}>
        {t('delete')}
      </Button>
    </Dialog>
  )
}
