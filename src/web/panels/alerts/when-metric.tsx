'use client'
import { useTranslations } from 'next-intl'
import type { Dataset } from '../../../domain/datasets.ts'
import { Builder } from '../explore/builder.tsx'
import { exploreParams, ofDataset } from '../explore/params.ts'
import { errorsAt, type MetricPart, unitOf } from './draft.ts'
import { useEditor } from './editor-context.ts'
import { NumberField, Pick } from './fields.tsx'
import { WindowPick } from './window-pick.tsx'

/** The last series or formula that a plan still has, if the one that decided was removed. */
function decidingOf({ plan, of }: Pick<MetricPart, 'plan' | 'of'>): string {
  const names = [...plan.series, ...plan.formulas].map(({ name }) => name)
  return names.includes(of) ? of : (names.at(-1) ?? 'a')
}

/** Any plan: its dataset, series and formulas, and which of them decides. */
export function MetricQuery({ datasets }: { datasets: readonly Dataset[] }) {
  const t = useTranslations('alerts.form')
  const explore = useTranslations('explore')
  const { draft, change, mayWrite } = useEditor()
  const { metric } = draft
  const { plan, of } = metric
  const params = { ...exploreParams(new URLSearchParams()), plan }
  const set = (next: MetricPart['plan']) =>
    change({ metric: { ...metric, plan: next, of: decidingOf({ plan: next, of }) } })
  const names = [
    ...plan.series.map(({ name, aggregate }) => ({ value: name, text: `${name}: ${aggregate}` })),
    ...plan.formulas.map(({ name, expression }) => ({ value: name, text: `${name}: ${expression}` })),
  ]
  return (
    <div className="alert-query">
      <div className="alert-line">
        <span>{t('over')}</span>
        <Pick
          label={explore('dataset')}
          value={plan.dataset}
          choices={datasets.map((dataset) => ({ value: dataset, text: explore(`datasets.${dataset}`) }))}
          onChange={(dataset) => set(ofDataset(params, dataset).plan)}
        />
        <span>{t('decides')}</span>
        <Pick
          label={t('deciding')}
          value={of}
          choices={names}
          onChange={(name) => change({ metric: { ...metric, of: name } })}
        />
      </div>
      {mayWrite ? <Builder params={params} fields={[]} isSingle change={(next) => set(next.plan)} /> : null}
    </div>
  )
}

const thresholdTypes = ['fixed', 'hour', 'day', 'week', 'weekly'] as const
type Compared = (typeof thresholdTypes)[number]
const comparedOf = ({ type, before = 'week' }: MetricPart['threshold']): Compared => (type === 'change' ? before : type)

function withCompared(threshold: MetricPart['threshold'], compared: Compared): MetricPart['threshold'] {
  const { before: _, ...rest } = threshold
  if (compared === 'fixed' || compared === 'weekly') return { ...rest, type: compared }
  return { ...rest, type: 'change', before: compared }
}

/** The threshold: against a number, a period before, or the weekly pattern. */
function Threshold() {
  const t = useTranslations('alerts.form')
  const compare = useTranslations('alerts.compare')
  const { draft, change, fields } = useEditor()
  const { metric } = draft
  const { threshold } = metric
  const set = (next: Partial<MetricPart['threshold']>) =>
    change({ metric: { ...metric, threshold: { ...threshold, ...next } } })
  const isFixed = threshold.type === 'fixed'
  const isRatio = isFixed && unitOf(metric) === 'ratio'
  return (
    <div className="alert-line">
      <span>{t('is')}</span>
      <Pick
        label={t('direction')}
        value={threshold.direction}
        choices={[
          { value: 'above', text: t('above') },
          { value: 'below', text: t('below') },
        ]}
        onChange={(direction) => set({ direction })}
      />
      <NumberField
        label={t('threshold')}
        value={threshold.critical}
        isWrong={errorsAt(fields, 'metric.threshold.critical').length > 0}
        onChange={(critical) => set({ critical })}
      />
      {isFixed ? null : <span>{t('percentOf')}</span>}
      {isFixed && unitOf(metric) === 'millisecond' ? <span>ms</span> : null}
      {isRatio ? <span className="alert-note">{t('ratio')}</span> : null}
      <Pick
        label={t('compare')}
        value={comparedOf(threshold)}
        choices={thresholdTypes.map((type) => ({ value: type, text: compare(type) }))}
        onChange={(compared) => change({ metric: { ...metric, threshold: withCompared(threshold, compared) } })}
      />
      <span>{t('within')}</span>
      <WindowPick
        value={metric.windowMinutes}
        onChange={(windowMinutes) => change({ metric: { ...metric, windowMinutes } })}
      />
    </div>
  )
}

/** Threshold and warning level. */
export function MetricNumbers() {
  const t = useTranslations('alerts.form')
  const { draft, change, fields } = useEditor()
  const { metric } = draft
  const { threshold } = metric
  return (
    <>
      <Threshold />
      <div className="alert-line">
        <span>{t('warnAt')}</span>
        <NumberField
          label={t('warning')}
          value={threshold.warning}
          placeholder={t('none')}
          isWrong={errorsAt(fields, 'metric.threshold.warning').length > 0}
          onChange={(warning) => change({ metric: { ...metric, threshold: { ...threshold, warning } } })}
        />
      </div>
      {threshold.type === 'weekly' ? <p className="alert-note">{t('weeklyNote')}</p> : null}
    </>
  )
}
