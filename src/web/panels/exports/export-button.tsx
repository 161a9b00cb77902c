'use client'
import dynamic from 'next/dynamic'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { patientImport } from '../../client/connection.ts'
import { Button } from '../../ui/forms/controls.tsx'
import type { ExportParts } from './export-dialog.tsx'

/** The dialog loads when somebody opens it. */
const ExportDialog = dynamic(
  patientImport(() => import('./export-dialog.tsx').then((module) => module.ExportDialog)),
  { ssr: false },
)

/** A button that opens the exports of a query. `disabled`: the query has no answer. */
export function ExportButton({ disabled, ...parts }: ExportParts & { disabled: boolean }) {
  const t = useTranslations('explore')
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button compact disabled={disabled} onClick={() => setOpen(true)}>
        {t('export')}
      </Button>
      {isOpen ? <ExportDialog {...parts} onClose={() => setOpen(false)} /> : null}
    </>
  )
}
