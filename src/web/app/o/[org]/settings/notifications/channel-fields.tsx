'use client'
import { useTranslations } from 'next-intl'
import type { ChannelField, ChannelKind, ChannelSubscription } from '../../../../../../domain/alerts/channel-kinds.ts'
import { channelSubscriptions } from '../../../../../../domain/alerts/channel-kinds.ts'
import { CopyButton } from '../../../../../ui/copy/copy-button.tsx'
import { Field, NameField, Select, TextArea, TextField } from '../../../../../ui/forms/controls.tsx'
import type { ChannelState } from './actions.ts'

/** The form of one kind. */
export type KindForm = { kind: ChannelKind; fields: readonly ChannelField[] }

/** The values that a form begins with. Secrets are never among them. */
export type ChannelStart = {
  name: string
  project: string | null
  subscription: ChannelSubscription
  values: Readonly<Record<string, string>>
}

/** The steps that lead to the values of the form. */
export function Guide({ kind, slackUrl }: { kind: ChannelKind; slackUrl: string }) {
  const t = useTranslations('channels')
  return (
    <div className="box p-3">
      <p className="font-[550]">{t('guide')}</p>
      <ol className="mt-1 list-decimal pl-5 text-ink-2">
        {t(`steps_${kind}`)
          .split('\n')
          .map((step) => (
            <li key={step}>{step}</li>
          ))}
      </ol>
      {kind === 'slack_app' ? (
        <div className="mt-2">
          <p className="font-[550]">{t('requestUrl')}</p>
          <div className="flex items-center gap-2">
            <code className="min-w-0 break-all">{slackUrl}</code>
            <CopyButton text={slackUrl} label={t('copyUrl')} />
          </div>
        </div>
      ) : null}
    </div>
  )
}

/** One field of a kind. `isKept`: the stored value stays if the field is left empty. */
function KindField({
  kind,
  field,
  start,
  state,
  isKept,
}: {
  kind: ChannelKind
  field: ChannelField
  start: string
  state: ChannelState
  isKept: boolean
}) {
  const t = useTranslations('channels')
  const { name, type, choices = [] } = field
  const id = `channel-${name}`
  const isSecret = type === 'secret' || type === 'url'
  const label = t(`field_${kind}_${name}`)
  const explained = isKept && isSecret ? t('keep') : t(`hint_${kind}_${name}`)
  const hint = field.isManaged ? `${explained} ${t('managed')}` : explained
  const errors = state.fields[name]
  const defaultValue = state.values[name] ?? start
  if (type === 'choice')
    return (
      <Field id={id} label={label} hint={hint} errors={errors}>
        <Select id={id} name={name} defaultValue={defaultValue || choices[0]} aria-describedby={`${id}-note`}>
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </Select>
      </Field>
    )
  if (type === 'lines')
    return (
      <Field id={id} label={label} hint={hint} errors={errors}>
        <TextArea id={id} name={name} rows={3} defaultValue={defaultValue} aria-describedby={`${id}-note`} />
      </Field>
    )
  return (
    <TextField
      id={id}
      name={name}
      label={label}
      hint={hint}
      errors={errors}
      type={type === 'secret' ? 'password' : 'text'}
      required={field.required && !isKept}
      autoComplete="off"
      defaultValue={defaultValue}
    />
  )
}

/** The fields of a channel: its name, those of its kind, its project and what it hears of. */
export function ChannelFields({
  form: { kind, fields },
  start,
  projects,
  state,
  isKept,
}: {
  form: KindForm
  start: ChannelStart
  projects: readonly string[]
  state: ChannelState
  isKept: boolean
}) {
  const t = useTranslations('notifications')
  const tc = useTranslations('channels')
  return (
    <>
      <NameField
        id="channel-name"
        label={t('name')}
        errors={state.fields.name}
        defaultValue={state.values.name ?? start.name}
      />
      {fields.map((field) => (
        <KindField
          key={`${kind} ${field.name}`}
          kind={kind}
          field={field}
          start={start.values[field.name] ?? ''}
          state={state}
          isKept={isKept}
        />
      ))}
      <Field id="channel-project" label={t('project')} errors={state.fields.project}>
        <Select
          id="channel-project"
          name="project"
          defaultValue={state.values.project ?? start.project ?? ''}
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
      <Field id="channel-subscription" label={tc('subscription')}>
        <Select
          id="channel-subscription"
          name="subscription"
          defaultValue={state.values.subscription ?? start.subscription}
          aria-describedby="channel-subscription-note"
        >
          {channelSubscriptions.map((subscription) => (
            <option key={subscription} value={subscription}>
              {tc(`subscription_${subscription}`)}
            </option>
          ))}
        </Select>
      </Field>
    </>
  )
}
