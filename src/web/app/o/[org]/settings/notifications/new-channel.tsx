'use client'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { CopyButton } from '../../../../../ui/copy/copy-button.tsx'
import { ActionForm } from '../../../../../ui/forms/action-form.tsx'
import { Button, Field, Select } from '../../../../../ui/forms/controls.tsx'
import { createChannelAction } from './actions.ts'
import { ChannelFields, Guide, type KindForm } from './channel-fields.tsx'
import { startState } from './channel-row.tsx'

/** The form for a new channel. Shows the signing secret of a webhook once. */
export function NewChannel({
  organization,
  projects,
  forms,
  slackUrl,
}: {
  organization: string
  projects: readonly string[]
  forms: readonly [KindForm, ...KindForm[]]
  slackUrl: string
}) {
  const t = useTranslations('notifications')
  const tc = useTranslations('channels')
  const [first] = forms
  const [kind, setKind] = useState(first.kind)
  const form = forms.find((choice) => choice.kind === kind) ?? first
  const values: Record<string, string> = kind === 'email' ? { target: 'members' } : {}
  return (
    <section className="mt-8">
      <h2 className="mb-3">{t('newTitle')}</h2>
      <ActionForm
        action={createChannelAction}
        initial={startState}
        name="new-channel"
        className="flex max-w-[560px] flex-col gap-3"
      >
        {(state, pending) => (
          <>
            {state.secret ? (
              <div className="box p-3" role="status">
                <p className="mb-2">{t('secretOnce')}</p>
                <div className="flex items-center gap-2">
                  <code className="min-w-0 break-all">{state.secret}</code>
                  <CopyButton text={state.secret} label={t('copySecret')} />
                </div>
              </div>
            ) : null}
            <input type="hidden" name="organization" value={organization} />
            <Field id="channel-kind" label={t('kind')}>
              <Select
                id="channel-kind"
                name="kind"
                value={kind}
                onChange={(event) => setKind(forms.find((choice) => choice.kind === event.target.value)?.kind ?? kind)}
                aria-describedby="channel-kind-note"
              >
                {forms.map((choice) => (
                  <option key={choice.kind} value={choice.kind}>
                    {tc(`kind_${choice.kind}`)}
                  </option>
                ))}
              </Select>
            </Field>
            <Guide kind={kind} slackUrl={slackUrl} />
            <ChannelFields
              form={form}
              start={{ name: '', project: null, subscription: 'issues', values }}
              projects={projects}
              state={state}
              isKept={false}
            />
            <div>
              <Button type="submit" disabled={pending}>
                {t('create')}
              </Button>
            </div>
          </>
        )}
      </ActionForm>
    </section>
  )
}
