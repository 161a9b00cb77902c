'use client'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import {
  digestPaces,
  type PersonalKind,
  type PersonalSettings,
  type Place,
  type ProjectChoice,
  personalKinds,
  places,
  projectKinds,
  projectModes,
} from '../../../../../../../domain/alerts/personal.ts'
import { type GuardedState, noGuardedState } from '../../../../../../client/form.ts'
import { ActionForm } from '../../../../../../ui/forms/action-form.tsx'
import { Button, Field, Select, TextField } from '../../../../../../ui/forms/controls.tsx'
import { Stale } from '../../../../../../ui/stale.tsx'
import { useToast } from '../../../../../../ui/toast.tsx'
import { savePersonalAction } from './actions.ts'
import { boxName, ownPlaces, projectBox, projectField } from './form-personal.ts'

type Projects = readonly { slug: string; choice: ProjectChoice | '' }[]

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
          {projects.length > 0 ? <PerProject projects={projects} settings={settings} state={state} /> : null}
          {state.error && !state.stale ? (
            <p role="alert" className="text-error">
              {state.error}
            </p>
          ) : null}
          <div>
            <Button type="submit" look="main">
              {t('save')}
            </Button>
          </div>
          {/* After the button, so that Enter in a field does not overwrite the change of somebody else. */}
          {state.stale ? <Stale form={name} stale={state.stale} pending={pending} /> : null}
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

/** Kinds as rows with a box for each place. `nameOf`: the field; `label` names the table. */
function PlaceTable({
  label,
  kinds,
  nameOf,
  isOn,
  hasHints = false,
}: {
  label: string
  kinds: readonly PersonalKind[]
  nameOf: (kind: PersonalKind, place: Place) => string
  isOn: (kind: PersonalKind, place: Place) => boolean
  hasHints?: boolean
}) {
  const t = useTranslations('personal')
  return (
    <table className="w-full max-w-[560px]" aria-label={label}>
      <thead>
        <tr>
          <td />
          {places.map((place) => (
            <th key={place} scope="col" className="w-16 px-2 pb-1 text-left font-[550]">
              {t(`places.${place}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {kinds.map((kind) => (
          <tr key={kind} className="border-t border-line align-top">
            <th scope="row" className="py-2 text-left font-[550]">
              {t(`kinds.${kind}`)}
              {hasHints ? <p className="text-small font-normal text-ink-3">{t(`hints.${kind}`)}</p> : null}
            </th>
            {places.map((place) => (
              <td key={place} className="px-2 py-2">
                <input
                  type="checkbox"
                  className="checkbox"
                  name={nameOf(kind, place)}
                  value="on"
                  defaultChecked={isOn(kind, place)}
                  aria-label={t('boxLabel', { kind: t(`kinds.${kind}`), place: t(`places.${place}`) })}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Messages({ settings, state }: Part) {
  const t = useTranslations('personal')
  return (
    <section className="flex flex-col gap-3">
      <h2>{t('messages')}</h2>
      <PlaceTable
        label={t('messages')}
        kinds={personalKinds}
        nameOf={boxName}
        isOn={(kind, place) =>
          isBack(state) ? state.values[boxName(kind, place)] === 'on' : settings.kinds[kind].includes(place)
        }
        hasHints
      />
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

type InProject = { slug: string; choice: ProjectChoice | ''; general: PersonalSettings['kinds']; state: GuardedState }

/** What a person hears of one project. Its own places show only when they are chosen. */
function ProjectRow({ slug, choice, general, state }: InProject) {
  const t = useTranslations('personal')
  const name = projectField(slug)
  const [value, setValue] = useState<string>(state.values[name] ?? (typeof choice === 'object' ? ownPlaces : choice))
  const own = typeof choice === 'object' ? choice.kinds : {}
  return (
    <li className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <label htmlFor={name} className="min-w-0 truncate font-[550]">
          {slug}
        </label>
        <Select
          id={name}
          name={name}
          className="max-w-[260px]"
          value={value}
          onChange={(event) => setValue(event.target.value)}
        >
          <option value="">{t('modes.all')}</option>
          <option value={ownPlaces}>{t('modes.own')}</option>
          {projectModes.map((candidate) => (
            <option key={candidate} value={candidate}>
              {t(`modes.${candidate}`)}
            </option>
          ))}
        </Select>
      </div>
      {value === ownPlaces ? (
        <PlaceTable
          label={t('ownPlaces', { project: slug })}
          kinds={projectKinds}
          nameOf={(kind, place) => projectBox(slug, kind, place)}
          isOn={(kind, place) =>
            isBack(state)
              ? state.values[projectBox(slug, kind, place)] === 'on'
              : (own[kind] ?? general[kind]).includes(place)
          }
        />
      ) : null}
    </li>
  )
}

function PerProject({ projects, settings, state }: { projects: Projects } & Part) {
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
        {projects.map(({ slug, choice }) => (
          <ProjectRow key={slug} slug={slug} choice={choice} general={settings.kinds} state={state} />
        ))}
      </ul>
    </section>
  )
}
