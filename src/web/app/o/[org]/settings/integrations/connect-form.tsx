'use client'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { type TrackerKind, trackerKinds } from '../../../../../../domain/alerts/trackers.ts'
import { ActionForm } from '../../../../../ui/forms/action-form.tsx'
import { Button, Field, Select, TextField } from '../../../../../ui/forms/controls.tsx'
import { connectAction, type TrackerState } from './actions.ts'
import { Check, Results, startState } from './tracker-form.tsx'
import { serviceNames } from './words.ts'

/** The fields of a service, with where to get its token. */
function ServiceFields({ kind, state }: { kind: TrackerKind; state: TrackerState }) {
  const t = useTranslations('integrations')
  const { fields, values } = state
  return (
    <>
      {kind === 'linear' ? null : (
        <TextField
          id="tracker-url"
          name="url"
          label={t('url')}
          hint={t(`${kind}_urlHint`)}
          errors={fields.url}
          required={kind === 'jira'}
          inputMode="url"
          autoComplete="off"
          defaultValue={values.url}
        />
      )}
      <TextField
        id="tracker-target"
        name="target"
        label={t(`${kind}_target`)}
        hint={t(`${kind}_targetHint`)}
        errors={fields.target}
        required
        autoComplete="off"
        defaultValue={values.target}
      />
      {kind === 'jira' ? (
        <TextField
          id="tracker-email"
          name="email"
          type="email"
          label={t('email')}
          hint={t('emailHint')}
          errors={fields.email}
          autoComplete="off"
          defaultValue={values.email}
        />
      ) : null}
      <TextField
        id="tracker-token"
        name="token"
        type="password"
        label={t('token')}
        hint={t(`${kind}_tokenHint`)}
        errors={fields.token ?? fields.tracker}
        required
        autoComplete="off"
      />
    </>
  )
}

/** Connects a tracker. Shows the secret of the webhook once. */
export function ConnectForm({ organization }: { organization: string }) {
  const t = useTranslations('integrations')
  const [kind, setKind] = useState<TrackerKind>('github')
  return (
    <section className="mt-8" aria-labelledby="connect-title">
      <h2 id="connect-title" className="mb-3">
        {t('connectTitle')}
      </h2>
      <ActionForm
        action={connectAction}
        initial={startState}
        name="connect"
        className="flex max-w-[560px] flex-col gap-3"
      >
        {(state, pending) => (
          <>
            <Results state={state} />
            <input type="hidden" name="organization" value={organization} />
            <Field id="tracker-kind" label={t('service')}>
              <Select
                id="tracker-kind"
                name="kind"
                value={kind}
                onChange={(event) =>
                  setKind(trackerKinds.find((candidate) => candidate === event.target.value) ?? 'github')
                }
                aria-describedby="tracker-kind-note"
              >
                {trackerKinds.map((choice) => (
                  <option key={choice} value={choice}>
                    {serviceNames[choice]}
                  </option>
                ))}
              </Select>
            </Field>
            <ServiceFields key={kind} kind={kind} state={state} />
            <TextField
              id="tracker-name"
              name="name"
              label={t('name')}
              hint={t('nameHint')}
              errors={state.fields.name}
              maxLength={64}
              defaultValue={state.values.name}
            />
            <TextField
              id="tracker-secret"
              name="secret"
              type="password"
              label={t('webhookSecret')}
              hint={kind === 'linear' ? t('linear_secretHint') : t('secretHint')}
              errors={state.fields.secret}
              autoComplete="off"
            />
            <Check id="tracker-state" name="syncState" label={t('syncState')} on />
            <Check id="tracker-comments" name="syncComments" label={t('syncComments')} on={false} />
            <div>
              <Button type="submit" disabled={pending}>
                {t('connect')}
              </Button>
            </div>
          </>
        )}
      </ActionForm>
    </section>
  )
}
