'use client'
import { ChevronLeft, Pencil } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import type { RestAlertRule } from '../../../contract/alerts/alerts.ts'
import { Button, Input } from '../../ui/forms/controls.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { RowEnd } from '../../ui/row-end.tsx'
import { errorsAt } from './draft.ts'
import { useEditor } from './editor-context.ts'
import { RuleActions } from './rule-actions.tsx'
import { TestButton } from './test-button.tsx'

/** The name of the rule: a heading, or a field while it is edited or new. */
function Name() {
  const t = useTranslations('alerts.form')
  const { draft, change, rule, mayWrite, fields } = useEditor()
  const [isEditing, setEditing] = useState(rule === undefined)
  const errors = errorsAt(fields, 'name')
  if (mayWrite && (isEditing || errors.length > 0))
    return (
      <>
        <h1 className="visually-hidden">{rule?.name ?? t('new')}</h1>
        <Input
          className="alert-name"
          aria-label={t('name')}
          aria-invalid={errors.length > 0 || undefined}
          placeholder={t('namePlaceholder')}
          maxLength={200}
          autoComplete="off"
          // biome-ignore lint/a11y/noAutofocus: the pencil was pressed to type here
          autoFocus={rule !== undefined}
          value={draft.name}
          onChange={(event) => change({ name: event.target.value })}
          onBlur={() => rule && setEditing(false)}
          onKeyDown={(event) => event.key === 'Enter' && rule && setEditing(false)}
        />
        {errors.length > 0 ? (
          <span role="alert" className="alert-wrong">
            {errors.join(' ')}
          </span>
        ) : null}
      </>
    )
  return (
    <>
      <h1>
        <PlainText text={draft.name || t('untitled')} charactersMax={200} />
      </h1>
      {mayWrite ? (
        <Button look="plain" compact icon aria-label={t('rename')} onClick={() => setEditing(true)}>
          <Pencil size={14} strokeWidth={1.75} />
        </Button>
      ) : null}
    </>
  )
}

/** The way back, the name, whether it is saved, and what can be done. */
export function EditorHead({
  isChanged,
  isSaving,
  discard,
  save,
  onChanged,
}: {
  isChanged: boolean
  isSaving: boolean
  discard: () => void
  save: () => void
  onChanged: (rule: RestAlertRule | undefined) => void
}) {
  const t = useTranslations('alerts.form')
  const { organization, rule, mayWrite } = useEditor()
  return (
    <header className="alert-bar">
      <Link className="alert-back" href={`/o/${organization}/alerts`}>
        <ChevronLeft size={13} strokeWidth={1.75} aria-hidden="true" />
        {t('back')}
      </Link>
      <Name />
      <span className="alert-note" role="status">
        {isChanged ? t('edited') : ''}
      </span>
      <span className="alert-bar-actions">
        {mayWrite ? (
          <>
            {isChanged ? (
              <Button look="plain" onClick={discard}>
                {t('discard')}
              </Button>
            ) : null}
            <TestButton />
            {rule ? <RuleActions organization={organization} rule={rule} onChanged={onChanged} /> : null}
            <Button look="main" disabled={isSaving || (rule !== undefined && !isChanged)} onClick={save}>
              {t('save')}
            </Button>
          </>
        ) : (
          <span className="alert-note">{t('viewer')}</span>
        )}
      </span>
      <RowEnd />
    </header>
  )
}
