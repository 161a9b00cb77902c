'use client'
import '../../styles/issues.css'
import './alerts.css'
import { useRouter } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { useEffect, useMemo, useState } from 'react'
import type { RestAlertRule } from '../../../contract/alerts/alerts.ts'
import { Button } from '../../ui/forms/controls.tsx'
import { useKey } from '../../ui/keys/keys.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { QueryFailed } from '../../ui/states.tsx'
import { BackTest } from './back-test.tsx'
import { changedParts, mergeConcurrentChange } from './conflict.ts'
import { draftOf, isSame, type RuleDraft } from './draft.ts'
import { type Editor, EditorContext } from './editor-context.ts'
import { EditorHead } from './editor-head.tsx'
import { HowOften } from './how-often.tsx'
import { Notify } from './notify.tsx'
import { Preview } from './preview.tsx'
import { RuleNotices } from './rule-state.tsx'
import { RuleSentence } from './sentence.tsx'
import { Unless } from './unless.tsx'
import { type Conflict, useSaving } from './use-saving.ts'
import { When } from './when.tsx'

type EditorProps = Omit<Editor, 'draft' | 'change' | 'fields' | 'rule'> & {
  /** Undefined: a new rule. */
  stored: RestAlertRule | undefined
  /** The form of a new rule; of a stored one it is ignored. */
  opening: RuleDraft
}

/** Warns before the browser leaves a form that is not saved. */
function useLeaveWarning(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', warn)
    return () => window.removeEventListener('beforeunload', warn)
  }, [isChanged])
}

/** Who saved first and what they changed, with the choice to take theirs or to overwrite it. */
function ConflictNotice({
  conflict,
  base,
  take,
  overwrite,
}: {
  conflict: Conflict
  /** The rule that the form began from. */
  base: RuleDraft
  take: () => void
  overwrite: () => void
}) {
  const t = useTranslations('alerts.conflict')
  const parts = changedParts(base, draftOf(conflict.theirs)).map((part) => t(`parts.${part}`))
  return (
    <div role="alert" className="alert-conflict">
      <p>
        <b>
          <PlainText text={t('who', { who: conflict.by ?? t('somebody') })} charactersMax={200} />
        </b>{' '}
        {parts.length > 0 ? t('what', { parts: parts.join(', ') }) : t('nothing')}
      </p>
      <div className="alert-conflict-actions">
        <Button onClick={take}>{t('take')}</Button>
        <Button onClick={overwrite}>{t('overwrite')}</Button>
      </div>
    </div>
  )
}

/** The state of the form: the stored rule, the draft over it, and what saving said. */
function useForm({ organization, stored, opening }: Pick<EditorProps, 'organization' | 'stored' | 'opening'>) {
  const router = useRouter()
  const [rule, setRule] = useState(stored)
  const [draft, setDraft] = useState(() => (stored ? draftOf(stored) : opening))
  const base = useMemo(() => (rule ? draftOf(rule) : undefined), [rule])
  const isChanged = base === undefined || !isSame(base, draft)
  function settle(next: RestAlertRule): void {
    setRule(next)
    setDraft(draftOf(next))
  }
  const saving = useSaving(organization, rule, settle)
  return {
    rule,
    draft,
    base,
    isChanged,
    saving,
    settle,
    change: (change: Partial<RuleDraft>) => setDraft((before) => ({ ...before, ...change })),
    discard: () => {
      saving.reset()
      if (base) setDraft(base)
      else router.push(`/o/${organization}/alerts`)
    },
    /** A change beside the form: what is typed stays, over the new revision. */
    changedBeside: (next: RestAlertRule | undefined) => {
      if (!next) return router.push(`/o/${organization}/alerts`)
      if (!isChanged) return settle(next)
      setRule(rule ? mergeConcurrentChange(rule, next) : next)
      setDraft((before) => ({ ...before, isActive: next.isActive }))
    },
  }
}

/** One alert rule: its form, and beside it when it would have fired. */
export function RuleEditor(props: EditorProps) {
  const { organization, stored, opening, ...shared } = props
  const t = useTranslations('alerts')
  const form = useForm(props)
  const { rule, draft, base, saving, isChanged } = form
  const { mayWrite } = shared
  useLeaveWarning(isChanged && rule !== undefined && mayWrite)
  const save = () => void saving.save(draft)
  useKey('$mod+Enter', t('keys.group'), t('form.save'), save, mayWrite && isChanged)
  const editor: Editor = { ...shared, organization, rule, draft, change: form.change, fields: saving.fields }
  return (
    <EditorContext value={editor}>
      <div className="alert-editor">
        <EditorHead
          isChanged={isChanged && rule !== undefined}
          isSaving={saving.isSaving}
          discard={form.discard}
          save={save}
          onChanged={form.changedBeside}
        />
        <QueryFailed error={saving.error} />
        {saving.conflict && base ? (
          <ConflictNotice
            conflict={saving.conflict}
            base={base}
            take={() => {
              if (saving.conflict) form.settle(saving.conflict.theirs)
              saving.reset()
            }}
            overwrite={() => void saving.save(draft, saving.conflict?.theirs.revision)}
          />
        ) : null}
        {rule ? <RuleNotices rule={rule} /> : null}
        <div className="alert-columns">
          <div className="alert-form">
            <When />
            <Unless />
            <Notify />
            <HowOften />
            <RuleSentence />
            <Preview />
          </div>
          <BackTest />
        </div>
      </div>
    </EditorContext>
  )
}
