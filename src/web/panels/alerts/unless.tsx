'use client'
import { useTranslations } from 'next-intl'
import { browserZone } from '../../client/zone.ts'
import { errorsAt } from './draft.ts'
import { useEditor } from './editor-context.ts'
import { Check, FieldErrors, NumberField, Pick, Step } from './fields.tsx'

const missings = ['resolve', 'keep', 'fire'] as const

/** What keeps a metric rule from firing: too few rows. And what no rows mean. */
function MetricUnless() {
  const t = useTranslations('alerts.form')
  const missing = useTranslations('alerts.missing')
  const { draft, change, fields } = useEditor()
  const { metric } = draft
  return (
    <>
      <div className="alert-line">
        <span>{t('fewerThan')}</span>
        <NumberField
          label={t('minimum')}
          value={metric.minimum}
          wholeFrom={0}
          isWrong={errorsAt(fields, 'metric.minimum').length > 0}
          onChange={(minimum) => change({ metric: { ...metric, minimum: minimum ?? 0 } })}
        />
        <span>{t('rows')}</span>
      </div>
      <div className="alert-line">
        <span>{t('withoutData')}</span>
        <Pick
          label={t('withoutData')}
          value={metric.missing}
          choices={missings.map((value) => ({ value, text: missing(value) }))}
          onChange={(value) => change({ metric: { ...metric, missing: value } })}
        />
      </div>
    </>
  )
}

/** Hours of the day in which an issue rule is silent. */
function QuietHours() {
  const t = useTranslations('alerts.form')
  const { draft, change, mayWrite } = useEditor()
  const { issue } = draft
  const { quietHours } = issue.unless
  const set = (next: typeof quietHours) =>
    change({ issue: { ...issue, unless: { ...issue.unless, quietHours: next } } })
  return (
    <div className="alert-line">
      <Check
        checked={quietHours !== null}
        onChange={(checked) => set(checked ? { from: '22:00', to: '06:00', timeZone: browserZone() } : null)}
      >
        {t('quietHours')}
      </Check>
      {quietHours ? (
        <>
          {(['from', 'to'] as const).map((end) => (
            <input
              key={end}
              type="time"
              className="input alert-time"
              aria-label={t(end === 'from' ? 'quietFrom' : 'quietTo')}
              readOnly={!mayWrite}
              value={quietHours[end]}
              onChange={(event) => event.target.value !== '' && set({ ...quietHours, [end]: event.target.value })}
            />
          ))}
          <span className="alert-note">{quietHours.timeZone}</span>
        </>
      ) : null}
    </div>
  )
}

/** Part 2: what keeps the rule silent. */
export function Unless() {
  const t = useTranslations('alerts.form')
  const { draft, change, fields } = useEditor()
  const { kind, issue } = draft
  const set = (unless: Partial<typeof issue.unless>) =>
    change({ issue: { ...issue, unless: { ...issue.unless, ...unless } } })
  return (
    <Step number={2} title={t('unless')}>
      {kind === 'metric' ? (
        <MetricUnless />
      ) : (
        <>
          <div className="alert-line">
            <Check checked={issue.unless.noise} onChange={(noise) => set({ noise })}>
              {t('noise')}
            </Check>
          </div>
          <div className="alert-line">
            <Check checked={issue.unless.skew} onChange={(skew) => set({ skew })}>
              {t('skew')}
            </Check>
          </div>
          <QuietHours />
        </>
      )}
      <FieldErrors errors={errorsAt(fields, 'issue.unless')} />
    </Step>
  )
}
