'use client'
import { useTranslations } from 'next-intl'
import { metricSeries } from '../../../../../../../domain/metrics.ts'
import { type ProjectSwitches, projectSwitches } from '../../../../../../../domain/project-switches.ts'
import type { RouteSettings } from '../../../../../../../domain/traces/routes.ts'
import type { ScrubSettings } from '../../../../../../../store/meta/meta.ts'
import { type GuardedState, noGuardedState } from '../../../../../../client/form.ts'
import { platformById } from '../../../../../../platforms.ts'
import { ActionForm } from '../../../../../../ui/forms/action-form.tsx'
import { Button, Field, NameField, Select, TextArea, TextField } from '../../../../../../ui/forms/controls.tsx'
import { PlatformOptions } from '../../../../../../ui/forms/platform-options.tsx'
import { Stale } from '../../../../../../ui/stale.tsx'
import { useToast } from '../../../../../../ui/toast.tsx'
import { saveProjectAction } from './actions.ts'
import { Boxes } from './boxes.tsx'
import { linesOf } from './change.ts'
import { ScrapeFields, type ShownScraping } from './scrape-fields.tsx'

export type ShownProject = {
  id: number
  slug: string
  name: string
  platform: string | null
  allowedOrigins: string[]
  revision: number
  switches: ProjectSwitches
  metricSeriesMax: number
  scrub: ScrubSettings
  scraping: ShownScraping
  routes: RouteSettings
}

const formName = 'project-settings'

/** The project's general settings in one form. `disabled`: the person may only read them. */
export function ProjectForm({
  organization,
  project,
  disabled,
}: {
  organization: string
  project: ShownProject
  disabled: boolean
}) {
  const t = useTranslations('projectSettings')
  const toast = useToast()
  return (
    <ActionForm
      action={saveProjectAction}
      initial={noGuardedState}
      name={formName}
      guarded
      className="flex max-w-[560px] flex-col gap-5"
      onDone={() => toast({ text: t('saved'), stayMs: 4000 })}
    >
      {(state, pending) => (
        <>
          <input type="hidden" name="organization" value={organization} />
          <input type="hidden" name="project" value={project.id} />
          <input type="hidden" name="revision" value={project.revision} />
          <fieldset disabled={disabled} className="flex flex-col gap-4">
            <GeneralFields project={project} state={state} />
            <Boxes names={projectSwitches} on={project.switches} state={state} />
          </fieldset>
          <fieldset disabled={disabled} className="flex flex-col gap-4">
            <legend className="mb-3">
              <h2>{t('scrubbing')}</h2>
            </legend>
            <ScrubFields scrub={project.scrub} state={state} />
          </fieldset>
          <fieldset disabled={disabled} className="flex flex-col gap-4">
            <legend className="mb-3">
              <h2>{t('routes')}</h2>
            </legend>
            <RouteFields routes={project.routes} state={state} />
          </fieldset>
          <fieldset disabled={disabled} className="flex flex-col gap-4">
            <legend className="mb-3">
              <h2>{t('metrics')}</h2>
            </legend>
            <TextField
              id="metricSeriesMax"
              name="metricSeriesMax"
              type="number"
              min={metricSeries.min}
              max={metricSeries.max}
              label={t('metricSeriesMax')}
              hint={t('metricSeriesMaxHint')}
              errors={state.fields.metricSeriesMax}
              required
              defaultValue={state.values.metricSeriesMax ?? project.metricSeriesMax}
            />
          </fieldset>
          <fieldset disabled={disabled} className="flex flex-col gap-4">
            <legend className="mb-3">
              <h2>{t('scraping')}</h2>
            </legend>
            <ScrapeFields scraping={project.scraping} state={state} />
          </fieldset>
          {disabled ? null : (
            <div>
              <Button type="submit" look="main" disabled={pending}>
                {t('save')}
              </Button>
            </div>
          )}
          {/* After the button, so that Enter in a field does not overwrite the change of somebody else. */}
          {state.stale ? <Stale form={formName} stale={state.stale} pending={pending} /> : null}
        </>
      )}
    </ActionForm>
  )
}

function GeneralFields({ project, state }: { project: ShownProject; state: GuardedState }) {
  const t = useTranslations('projectSettings')
  const { fields, values } = state
  const platform = values.platform ?? project.platform ?? 'other'
  return (
    <>
      <NameField id="name" label={t('name')} errors={fields.name} defaultValue={values.name ?? project.name} />
      <TextField
        id="slug"
        name="slug"
        label={t('slug')}
        hint={t('slugHint')}
        errors={fields.slug}
        required
        maxLength={50}
        autoComplete="off"
        spellCheck={false}
        className="font-mono"
        defaultValue={values.slug ?? project.slug}
      />
      <Field id="platform" label={t('platform')} errors={fields.platform}>
        <Select id="platform" name="platform" defaultValue={platform} aria-describedby="platform-note">
          <PlatformOptions />
          {platformById(platform) ? null : <option value={platform}>{platform}</option>}
        </Select>
      </Field>
      <List
        id="allowedOrigins"
        label={t('origins')}
        hint={t('originsHint')}
        errors={fields.allowedOrigins}
        value={values.allowedOrigins ?? linesOf(project.allowedOrigins)}
        placeholder={'*.shop.example\nhttps://shop.example:8443'}
      />
    </>
  )
}

function ScrubFields({ scrub, state }: { scrub: ScrubSettings; state: GuardedState }) {
  const t = useTranslations('projectSettings')
  const { fields, values } = state
  const boxes = ['scrub', 'scrubDefaults', 'scrubIpAddresses'] as const
  return (
    <>
      <Boxes names={boxes} on={scrub} state={state} />
      {(['sensitiveFields', 'safeFields'] as const).map((name) => (
        <List
          key={name}
          id={name}
          label={t(name)}
          hint={t(`${name}Hint`)}
          errors={fields[name]}
          value={values[name] ?? linesOf(scrub[name])}
        />
      ))}
    </>
  )
}

/** Routes that were uploaded with releases, by the newest release of each list. */
function UploadedRoutes({ uploaded }: { uploaded: NonNullable<RouteSettings['uploaded']> }) {
  const t = useTranslations('projectSettings')
  return uploaded.map(({ releases, routes }) => (
    <div key={releases[0]} className="text-ink-2">
      <p className="break-words">{t('uploadedRoutes', { release: releases[0] ?? '', more: releases.length - 1 })}</p>
      <ul className="mt-1 max-h-40 overflow-auto font-mono">
        {routes.map((route) => (
          <li key={route}>{route}</li>
        ))}
      </ul>
    </div>
  ))
}

/** Patterns that people give, the routes that were uploaded, and the paths that were learned. */
function RouteFields({ routes, state }: { routes: RouteSettings; state: GuardedState }) {
  const t = useTranslations('projectSettings')
  return (
    <>
      <List
        id="routePatterns"
        label={t('routePatterns')}
        hint={t('routePatternsHint')}
        errors={state.fields.routePatterns}
        value={state.values.routePatterns ?? linesOf(routes.patterns)}
        placeholder={'/shop/[category]/[id]\n/files/**'}
      />
      <UploadedRoutes uploaded={routes.uploaded ?? []} />
      {routes.learned.length > 0 ? (
        <div className="text-ink-2">
          <p>{t('learnedRoutes')}</p>
          <ul className="mt-1 max-h-40 overflow-auto font-mono">
            {routes.learned.map((prefix) => (
              <li key={prefix}>{`${prefix}/[name]`}</li>
            ))}
          </ul>
        </div>
      ) : null}
    </>
  )
}

/** A list with one entry per line. */
function List({
  id,
  label,
  hint,
  errors,
  value,
  placeholder,
}: {
  id: string
  label: string
  hint: string
  errors: string[] | undefined
  value: string
  placeholder?: string
}) {
  return (
    <Field id={id} label={label} hint={hint} errors={errors}>
      <TextArea
        id={id}
        name={id}
        rows={3}
        spellCheck={false}
        autoComplete="off"
        className="font-mono"
        placeholder={placeholder}
        defaultValue={value}
        aria-invalid={Boolean(errors)}
        aria-describedby={`${id}-note`}
      />
    </Field>
  )
}
