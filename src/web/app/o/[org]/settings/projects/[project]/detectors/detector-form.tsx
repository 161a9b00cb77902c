'use client'
import { useTranslations } from 'next-intl'
import {
  type DetectorId,
  detectors,
  type ProjectDetectors,
  type Threshold,
} from '../../../../../../../../domain/detectors/detectors.ts'
import type { GuardedState } from '../../../../../../../client/form.ts'
import { TextField } from '../../../../../../../ui/forms/controls.tsx'
import { GuardedProjectForm } from '../guarded-project-form.tsx'
import { saveDetectorsAction } from './actions.ts'
import { activeField, thresholdField } from './form-detectors.ts'

/** All detectors of a project in one form: a switch and the thresholds of each. */
export function DetectorForm({
  place,
  settings,
  mayWrite,
}: {
  /** `revision`: the project's revision when the form was rendered. */
  place: { organization: string; project: string; revision: number }
  settings: ProjectDetectors
  mayWrite: boolean
}) {
  const t = useTranslations('detectors')
  return (
    <GuardedProjectForm
      action={saveDetectorsAction}
      name="detectors"
      place={place}
      texts={{ save: t('save'), saved: t('saved') }}
      mayWrite={mayWrite}
      hasButton={mayWrite}
    >
      {(state) =>
        detectors.map(({ id, thresholds }) => (
          <DetectorRow key={id} id={id} thresholds={thresholds} settings={settings} state={state} />
        ))
      }
    </GuardedProjectForm>
  )
}

/** Whether a detector is on: as typed, if the form came back with faults. */
function isChecked(id: DetectorId, settings: ProjectDetectors, { values }: GuardedState): boolean {
  return Object.keys(values).length > 0 ? values[activeField(id)] === 'on' : settings[id].active
}

function DetectorRow({
  id,
  thresholds,
  settings,
  state,
}: {
  id: DetectorId
  thresholds: readonly Threshold[]
  settings: ProjectDetectors
  state: GuardedState
}) {
  const t = useTranslations('detectors')
  return (
    <section id={id} className="border-b border-line py-3">
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          className="checkbox"
          name={activeField(id)}
          defaultChecked={isChecked(id, settings, state)}
          aria-describedby={`${id}-hint`}
        />
        <span className="font-[550]">{t(`names.${id}`)}</span>
      </label>
      <p id={`${id}-hint`} className="mt-1 max-w-[72ch] text-small text-ink-2">
        {t(`hints.${id}`)}
      </p>
      <div className="mt-2 flex flex-wrap gap-x-6 gap-y-3">
        {thresholds.map(({ name, min, max, unit, default: standard }) => {
          const field = thresholdField(id, name)
          return (
            <div key={name} className="basis-[220px]">
              <TextField
                id={field}
                name={field}
                type="number"
                inputMode="numeric"
                min={min}
                max={max}
                step={1}
                label={t(`thresholds.${id}.${name}` as 'thresholds.slowQueries.durationMs')}
                hint={t(unit === 'ms' ? 'defaultMs' : 'defaultTimes', { value: standard })}
                errors={state.fields[field]}
                defaultValue={state.values[field] ?? settings[id].thresholds[name] ?? standard}
              />
            </div>
          )
        })}
      </div>
    </section>
  )
}
