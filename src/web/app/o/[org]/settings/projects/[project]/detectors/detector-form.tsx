'use client'
import { useTranslations } from 'next-intl'
import {
  type DetectorId,
  detectors,
  type ProjectDetectors,
  type Threshold,
} from '../../../../../../../../domain/detectors.ts'
import { type GuardedState, noGuardedState } from '../../../../../../../client/form.ts'
import { ActionForm } from '../../../../../../../ui/forms/action-form.tsx'
import { Button, TextField } from '../../../../../../../ui/forms/controls.tsx'
import { Stale } from '../../../../../../../ui/stale.tsx'
import { useToast } from '../../../../../../../ui/toast.tsx'
import { saveDetectorsAction } from './actions.ts'
import { activeField, thresholdField } from './form-detectors.ts'

const formName = 'detectors'

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
  const toast = useToast()
  return (
    <ActionForm
      action={saveDetectorsAction}
      initial={noGuardedState}
      name={formName}
      onDone={() => toast({ text: t('saved'), stayMs: 3000 })}
    >
      {(state, pending) => (
        <fieldset disabled={!mayWrite || pending} className="flex flex-col border-t border-line">
          <input type="hidden" name="organization" value={place.organization} />
          <input type="hidden" name="project" value={place.project} />
          <input type="hidden" name="revision" value={place.revision} />
          {detectors.map(({ id, thresholds }) => (
            <DetectorRow key={id} id={id} thresholds={thresholds} settings={settings} state={state} />
          ))}
          {state.stale ? (
            <div className="pt-4">
              <Stale form={formName} stale={state.stale} pending={pending} />
            </div>
          ) : null}
          {mayWrite ? (
            <div className="pt-4">
              <Button type="submit" look="main">
                {t('save')}
              </Button>
            </div>
          ) : null}
        </fieldset>
      )}
    </ActionForm>
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
