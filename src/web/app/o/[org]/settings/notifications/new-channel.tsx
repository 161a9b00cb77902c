'use client'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { CopyButton } from '../../../../../ui/copy-button.tsx'
import { ActionForm } from '../../../../../ui/forms/action-form.tsx'
import { Button, Field, NameField, Select, TextField } from '../../../../../ui/forms/controls.tsx'
import { type ChannelState, createChannelAction } from './actions.ts'
import { startState } from './channel-row.tsx'

const kinds = ['email', 'slack', 'webhook'] as const

type Kind = (typeof kinds)[number]

/** The fields of a channel. */
function ChannelFields({ kind, projects, state }: { kind: Kind; projects: readonly string[]; state: ChannelState }) {
  const t = useTranslations('notifications')
  return (
    <>
      <NameField id="channel-name" label={t('name')} errors={state.fields.name} defaultValue={state.values.name} />
      <TextField
        key={kind}
        id="channel-target"
        name="target"
        label={kind === 'email' ? t('addresses') : t('address')}
        hint={t(`${kind}Hint`)}
        errors={state.fields.target}
        required
        autoComplete="off"
        defaultValue={state.values.target ?? (kind === 'email' ? 'members' : '')}
      />
      <Field id="channel-project" label={t('project')} errors={state.fields.project}>
        <Select
          id="channel-project"
          name="project"
          defaultValue={state.values.project ?? ''}
          aria-describedby="channel-project-note"
        >
          <option value="">{t('allProjects')}</option>
          {projects.map((project) => (
            <option key={project} value={project}>
              {project}
            </option>
          ))}
        </Select>
      </Field>
    </>
  )
}

/** The form for a new channel. Shows the signing secret of a webhook once. */
export function NewChannel({ organization, projects }: { organization: string; projects: readonly string[] }) {
  const t = useTranslations('notifications')
  const [kind, setKind] = useState<Kind>('email')
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
                onChange={(event) => setKind(kinds.find((candidate) => candidate === event.target.value) ?? 'email')}
                aria-describedby="channel-kind-note"
              >
                {kinds.map((choice) => (
                  <option key={choice} value={choice}>
                    {t(choice)}
                  </option>
                ))}
              </Select>
            </Field>
            <ChannelFields kind={kind} projects={projects} state={state} />
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
