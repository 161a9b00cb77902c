'use client'
import { useTranslations } from 'next-intl'
import { useMemo, useState } from 'react'
import type { RestOwnershipTest } from '../../../../../../../../contract/ownership.ts'
import { ownershipCharactersMax, readOwnership } from '../../../../../../../../domain/ownership.ts'
import { ApiError, apiFetch } from '../../../../../../../client/api.ts'
import { noGuardedState } from '../../../../../../../client/form.ts'
import { ActionForm } from '../../../../../../../ui/forms/action-form.tsx'
import { Button, Field, TextArea } from '../../../../../../../ui/forms/controls.tsx'
import { Link } from '../../../../../../../ui/link.tsx'
import { PlainText } from '../../../../../../../ui/plain-text.tsx'
import { Stale } from '../../../../../../../ui/stale.tsx'
import { useToast } from '../../../../../../../ui/toast.tsx'
import { saveOwnershipAction } from './actions.ts'

const formName = 'ownership'

type Place = { organization: string; project: string; projectId: string }

/** The ownership rules as text: checks them while typing, tests them on the latest issues, saves them. */
export function OwnershipForm({
  place,
  initial,
  mayWrite,
}: {
  place: Place
  initial: { text: string; autoAssign: boolean; revision: number }
  mayWrite: boolean
}) {
  const t = useTranslations('triage.ownership')
  const toast = useToast()
  const [text, setText] = useState(initial.text)
  const { rules, faults } = useMemo(() => readOwnership(text), [text])
  return (
    <>
      <ActionForm
        key={initial.revision}
        action={saveOwnershipAction}
        initial={noGuardedState}
        name={formName}
        guarded
        onDone={() => toast({ text: t('saved') })}
      >
        {(state, pending) => (
          <>
            <input type="hidden" name="organization" value={place.organization} />
            <input type="hidden" name="project" value={place.projectId} />
            <input type="hidden" name="revision" value={initial.revision} />
            <Field id="ownership-text" label={t('rules')} hint={t('hint')} errors={state.fields.text}>
              <TextArea
                id="ownership-text"
                name="text"
                rows={12}
                spellCheck={false}
                className="font-mono"
                maxLength={ownershipCharactersMax}
                aria-describedby="ownership-text-note"
                placeholder={t('example')}
                readOnly={!mayWrite}
                value={text}
                onChange={(event) => setText(event.target.value)}
              />
            </Field>
            <ul aria-live="polite" className="text-small">
              {faults.slice(0, 10).map((fault) => (
                <li key={`${fault.line}`} className="text-error">
                  {t('line', { line: fault.line })}: {fault.sentence}
                </li>
              ))}
              {faults.length === 0 && rules.length > 0 ? <li className="text-ink-3">{t('fine')}</li> : null}
            </ul>
            <label className="flex items-center gap-2">
              <input
                type="checkbox"
                className="checkbox"
                name="auto"
                defaultChecked={initial.autoAssign}
                disabled={!mayWrite}
              />
              {t('auto')}
            </label>
            <div>
              <Button type="submit" look="main" disabled={pending || !mayWrite || faults.length > 0}>
                {t('save')}
              </Button>
            </div>
            {/* After the button, so that Enter in a field does not overwrite the change of somebody else. */}
            {state.stale ? <Stale stale={state.stale} form={formName} pending={pending} /> : null}
          </>
        )}
      </ActionForm>
      <RuleTest place={place} text={text} />
    </>
  )
}

/** Tests the rules in the field on the latest issues. */
function RuleTest({ place, text }: { place: Place; text: string }) {
  const t = useTranslations('triage.ownership')
  const [found, setFound] = useState<RestOwnershipTest | undefined>()
  const [wrong, setWrong] = useState('')
  const run = () => {
    const path = `projects/${place.organization}/${place.projectId}/ownership/try/`
    apiFetch<RestOwnershipTest>(path, { method: 'POST', body: { raw: text } })
      .then((answer) => {
        setWrong('')
        setFound(answer)
      })
      .catch((error: unknown) => setWrong(error instanceof ApiError ? error.message : String(error)))
  }
  return (
    <section className="mt-8">
      <Button onClick={run}>{t('try')}</Button>
      {wrong ? (
        <p role="alert" className="mt-2 text-error">
          {wrong}
        </p>
      ) : null}
      {found ? (
        <div className="mt-3" aria-live="polite">
          <p className="mb-2 text-ink-2">{found.issues.length > 0 ? t('tried') : t('noIssues')}</p>
          <ul className="text-small">
            {found.faults.slice(0, 10).map((fault) => (
              <li key={`${fault.line} ${fault.sentence}`} className="text-error">
                {t('line', { line: fault.line })}: <PlainText text={fault.sentence} charactersMax={300} />
              </li>
            ))}
          </ul>
          <ul className="border-t border-line">
            {found.issues.map((issue) => (
              <li key={issue.id} className="flex flex-wrap gap-x-4 gap-y-1 border-b border-line py-2">
                <Link className="link" href={`/o/${place.organization}/issues/${issue.id}`}>
                  <code>{issue.shortId}</code>
                </Link>
                <span className="min-w-0 grow basis-[200px] truncate">
                  <PlainText text={issue.title} charactersMax={160} />
                </span>
                {issue.rule === null ? (
                  <span className="text-ink-3">{t('nobody')}</span>
                ) : (
                  <span>
                    <b>
                      <PlainText text={issue.owner ?? ''} charactersMax={254} />
                    </b>{' '}
                    <span className="text-ink-3">
                      {t('line', { line: issue.line ?? 0 })}:{' '}
                      <code>
                        <PlainText text={issue.rule} charactersMax={200} />
                      </code>
                    </span>
                  </span>
                )}
              </li>
            ))}
          </ul>
        </div>
      ) : null}
    </section>
  )
}
