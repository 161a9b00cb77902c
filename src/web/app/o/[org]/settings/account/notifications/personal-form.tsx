'use client'
import { useTranslations } from 'next-intl'
import {
  digestPaces,
  type PersonalSettings,
  type ProjectMode,
  personalKinds,
  places,
  projectModes,
} from '../../../../../../../domain/personal.ts'
import { type GuardedState, noGuardedState } from '../../../../../../client/form.ts'
import { ActionForm } from '../../../../../../ui/forms/action-form.tsx'
import { Button, Field, Select, TextField } from '../../../../../../ui/forms/controls.tsx'
import { Stale } from '../../../../../../ui/stale.tsx'
import { useToast } from '../../../../../../ui/toast.tsx'
import { savePersonalAction } from './actions.ts'
import { boxName, projectField } from './form-personal.ts'

type Projects = readonly { slug: string; mode: ProjectMode | '' }[]

/** Everything that a person can choose about their notifications, in one form. */
export function PersonalForm({
  organization,
  revision,
  settings,
  projects,
}: {
  organization: string
  revision: number
  settings: PersonalSettings
  projects: Projects
}) {
  const t = useTranslations('personal')
  const toast = useToast()
  const name = 'personal-notifications'
  return (
    <ActionForm
      action={savePersonalAction}
      initial={noGuardedState}
      name={name}
      guarded
      onDone={() => toast({ text: t('saved'), stayMs: 3000 })}
    >
      {(state, pending) => (
        <fieldset disabled={pending} className="flex flex-col gap-8">
          <input type="hidden" name="organization" value={organization} />
          <input type="hidden" name="revision" value={revision} />
          <Messages settings={settings} state={state} />
          <Summaries settings={settings} state={state} />
          <QuietHours settings={settings} state={state} />
          {projects.length > 0 ? <PerProject projects={projects} state={state} /> : null}
          {state.error && !state.stale ? (
            <p role="alert" className="text-error">
              {state.error}
            </p>
          ) : null}
          {state.stale ? <Stale form={name} stale={state.stale} pending={pending} /> : null}
          <div>
            <Button type="submit" look="main">
              {t('save')}
            </Button>
          </div>
        </fieldset>
      )}
    </ActionForm>
  )
}

type Part = { settings: PersonalSettings; state: GuardedState }
/** A form that came back with faults shows what was typed. */
const isBack = ({ values }: GuardedState): boolean => Object.keys(values).length > 0

function Box({ name, checked, label, hint }: { name: string; checked: boolean; label: string; hint: string }) {
  return (
    <div>
      <label className="flex min-h-7 items-center gap-2 font-[550]">
        <input
          type="checkbox"
          className="checkbox"
          name={name}
          value="on"
          defaultChecked={checked}
          aria-describedby={`${name}-note`}
        />
        {label}
      </label>
      <p id={`${name}-note`} className="text-small text-ink-3">
        {hint}
      </p>
    </div>
  )
}

function Messages({ settings, state }: Part) {
  const t = useTranslations('personal')
  return (
    <section className="flex flex-col gap-3">
      <h2>{t('messages')}</h2>
      {personalKinds.map((kind) =>
        places.map((place) => {
          const name = boxName(kind, place)
          const checked = isBack(state) ? state.values[name] === 'on' : settings.kinds[kind].includes(place)
          return <Box key={name} name={name} checked={checked} label={t(`kinds.${kind}`)} hint={t(`hints.${kind}`)} />
        }),
      )}
    </section>
  )
}

function Summaries({ settings, state }: Part) {
  const t = useTranslations('personal')
  return (
    <section className="flex flex-col gap-3">
      <h2>{t('summaries')}</h2>
      <div className="max-w-[320px]">
        <Field id="digest" label={t('digest')} hint={t('digestHint')} errors={state.fields.digest}>
          <Select
            id="digest"
            name="digest"
            aria-describedby="digest-note"
            defaultValue={state.values.digest ?? settings.digest}
          >
            {digestPaces.map((pace) => (
              <option key={pace} value={pace}>
                {t(`paces.${pace}`)}
              </option>
            ))}
          </Select>
        </Field>
      </div>
      <Box
        name="report"
        checked={isBack(state) ? state.values.report === 'on' : settings.report}
        label={t('report')}
        hint={t('reportHint')}
      />
    </section>
  )
}

function QuietHours({ settings, state }: Part) {
  const t = useTranslations('personal')
  const { quietHours, timeZone } = settings
  const { values, fields } = state
  return (
    <section className="flex flex-col gap-3">
      <h2>{t('quiet')}</h2>
      <p className="max-w-[72ch] text-ink-2">{t('quietHint')}</p>
      <div className="flex flex-wrap gap-x-6 gap-y-3">
        <TextField
          id="quietFrom"
          name="quietFrom"
          type="time"
          label={t('quietFrom')}
          errors={fields.quietHours}
          defaultValue={values.quietFrom ?? quietHours?.from ?? ''}
        />
        <TextField
          id="quietTo"
          name="quietTo"
          type="time"
          label={t('quietTo')}
          errors={undefined}
          defaultValue={values.quietTo ?? quietHours?.to ?? ''}
        />
        <TextField
          id="timeZone"
          name="timeZone"
          required
          maxLength={64}
          label={t('timeZone')}
          hint={t('timeZoneHint')}
          errors={fields.timeZone}
          defaultValue={values.timeZone ?? timeZone}
        />
      </div>
    </section>
  )
}

function PerProject({ projects, state }: { projects: Projects; state: GuardedState }) {
  const t = useTranslations('personal')
  return (
    <section className="flex flex-col gap-3">
      <h2>{t('projects')}</h2>
      {state.fields.projects ? (
        <p role="alert" className="text-error">
          {state.fields.projects.join(' ')}
        </p>
      ) : null}
      <ul className="flex max-w-[560px] flex-col gap-2">
        {projects.map(({ slug, mode }) => {
          const name = projectField(slug)
          return (
            <li key={slug} className="flex flex-wrap items-center justify-between gap-2">
              <label htmlFor={name} className="min-w-0 truncate font-[550]">
                {slug}
              </label>
              <Select id={name} name={name} className="max-w-[260px]" defaultValue={state.values[name] ?? mode}>
                <option value="">{t('modes.all')}</option>
                {projectModes.map((candidate) => (
                  <option key={candidate} value={candidate}>
                    {t(`modes.${candidate}`)}
                  </option>
                ))}
              </Select>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
