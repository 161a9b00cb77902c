'use client'
import './explore.css'
import { Plus, X } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { type FormEvent, useEffect, useId, useState } from 'react'
import type { Plan } from '../../../contract/explore/explore.ts'
import { groupFieldsMax } from '../../../domain/alerts/metric-rules.ts'
import { planLimits } from '../../../domain/datasets.ts'
import { Button } from '../../ui/forms/controls.tsx'
import { type ExploreParams, renamed } from './params.ts'

const icon = { size: 14, strokeWidth: 1.75, 'aria-hidden': true } as const

/** A field that applies its text on Enter or when it loses the focus. Escape restores it. */
function TextField({
  label,
  value,
  apply,
  list,
  placeholder,
}: {
  label: string
  value: string
  apply: (value: string) => void
  list?: string
  placeholder?: string
}) {
  const [draft, setDraft] = useState(value)
  useEffect(() => setDraft(value), [value])
  const done = () => {
    if (draft.trim() !== value) apply(draft.trim())
  }
  return (
    <input
      className="input explore-text"
      aria-label={label}
      title={label}
      value={draft}
      list={list}
      placeholder={placeholder}
      maxLength={4096}
      spellCheck={false}
      autoComplete="off"
      autoCapitalize="off"
      onChange={(event) => setDraft(event.target.value)}
      onBlur={done}
      onKeyDown={(event) => {
        if (event.key === 'Enter') {
          event.preventDefault()
          done()
        }
        if (event.key === 'Escape' && draft !== value) {
          event.stopPropagation()
          setDraft(value)
        }
      }}
    />
  )
}

function Remove({ label, run }: { label: string; run: () => void }) {
  return (
    <Button look="plain" compact icon aria-label={label} title={label} onClick={run}>
      <X {...icon} />
    </Button>
  )
}

/** A list of fields as chips, and an input that adds a field. */
function Fields({
  label,
  add,
  values,
  max,
  list,
  change,
}: {
  label: string
  add: string
  values: readonly string[]
  max: number
  list: string
  change: (values: string[]) => void
}) {
  const t = useTranslations('explore.builder')
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const field = event.currentTarget.elements.namedItem('field')
    if (!(field instanceof HTMLInputElement)) return
    const value = field.value.trim()
    field.value = ''
    if (value !== '' && !values.includes(value)) change([...values, value])
  }
  return (
    <fieldset className="explore-fields">
      <legend>{label}</legend>
      {values.map((value) => (
        <span key={value} className="explore-field">
          <code>{value}</code>
          <Remove label={t('remove', { name: value })} run={() => change(values.filter((other) => other !== value))} />
        </span>
      ))}
      {values.length < max ? (
        <form onSubmit={submit}>
          <input
            className="input explore-text"
            name="field"
            aria-label={add}
            placeholder={add}
            list={list}
            maxLength={300}
            spellCheck={false}
            autoComplete="off"
            autoCapitalize="off"
          />
        </form>
      ) : null}
    </fieldset>
  )
}

type Change = { plan: Plan; setPlan: (plan: Plan) => void; list: string }

/** The series: each with its aggregate and its own filter. */
function Series({ plan, setPlan, list }: Change) {
  const t = useTranslations('explore.builder')
  const set = (at: number, next: Partial<Plan['series'][number]>) =>
    setPlan({ ...plan, series: plan.series.map((series, place) => (place === at ? { ...series, ...next } : series)) })
  return plan.series.map(({ name, aggregate, query = '' }, at) => (
    <fieldset key={name} className="explore-series">
      <legend>{name}</legend>
      <TextField
        label={t('aggregate', { name })}
        value={aggregate}
        list={`${list}-aggregates`}
        apply={(value) => value && set(at, { aggregate: value })}
      />
      <span className="explore-word">{t('where')}</span>
      <TextField
        label={t('filter', { name })}
        value={query}
        placeholder={t('filterNone')}
        apply={(value) => {
          const { query: _, ...rest } = plan.series[at] ?? { name, aggregate }
          setPlan({
            ...plan,
            series: plan.series.map((series, place) =>
              place === at ? { ...rest, ...(value === '' ? {} : { query: value }) } : series,
            ),
          })
        }}
      />
      {plan.series.length > 1 ? (
        <Remove
          label={t('remove', { name })}
          run={() => setPlan(renamed({ ...plan, series: plan.series.filter((_, place) => place !== at) }))}
        />
      ) : null}
    </fieldset>
  ))
}

function Formulas({ plan, setPlan }: Change) {
  const t = useTranslations('explore.builder')
  return plan.formulas.map(({ name, expression }, at) => (
    <fieldset key={name} className="explore-series">
      <legend>{name}</legend>
      <TextField
        label={t('formula', { name })}
        value={expression}
        apply={(value) =>
          setPlan(
            renamed({
              ...plan,
              formulas: plan.formulas.flatMap((formula, place) =>
                place !== at ? [formula] : value === '' ? [] : [{ ...formula, expression: value }],
              ),
            }),
          )
        }
      />
      <Remove
        label={t('remove', { name })}
        run={() => setPlan(renamed({ ...plan, formulas: plan.formulas.filter((_, place) => place !== at) }))}
      />
    </fieldset>
  ))
}

/** Buttons that add a series or a formula, and the comparison. */
function Adding({ plan, setPlan, isSingle }: Omit<Change, 'list'> & { isSingle: boolean }) {
  const t = useTranslations('explore.builder')
  return (
    <div className="explore-adding">
      {plan.series.length < planLimits.series ? (
        <Button
          look="plain"
          compact
          onClick={() => setPlan(renamed({ ...plan, series: [...plan.series, { name: '', aggregate: 'count()' }] }))}
        >
          <Plus {...icon} /> {t('addSeries')}
        </Button>
      ) : null}
      {plan.formulas.length < planLimits.formulas ? (
        <Button
          look="plain"
          compact
          onClick={() =>
            setPlan(
              renamed({
                ...plan,
                formulas: [...plan.formulas, { name: '', expression: plan.series.length > 1 ? 'a / b' : 'a * 2' }],
              }),
            )
          }
        >
          <Plus {...icon} /> {t('addFormula')}
        </Button>
      ) : null}
      {isSingle ? null : (
        <label className="explore-check">
          <input
            type="checkbox"
            className="checkbox"
            checked={plan.compare === 'previous'}
            onChange={(event) => {
              const { compare: _, ...rest } = plan
              setPlan(event.target.checked ? { ...rest, compare: 'previous' } : rest)
            }}
          />
          {t('compare')}
        </label>
      )}
    </div>
  )
}

/** Aggregates that the field of a series offers. */
const aggregates = [
  'count()',
  'count_unique(user)',
  'sum(',
  'avg(',
  'min(',
  'max(',
  'p50(',
  'p75(',
  'p95(',
  'p99(',
  'epm()',
  'share()',
]

/** What is asked: series with their filters, formulas and groups, or the columns of rows. */
export function Builder({
  params,
  fields,
  isSingle = false,
  change,
}: {
  params: ExploreParams
  fields: readonly string[]
  /** Without the period before, and with fewer groups, for an alert rule. */
  isSingle?: boolean
  change: (next: ExploreParams) => void
}) {
  const t = useTranslations('explore.builder')
  const list = useId()
  const { plan, mode } = params
  const setPlan = (next: Plan) => change({ ...params, plan: next })
  const parts = { plan, setPlan, list }
  return (
    <div className="explore-builder">
      <datalist id={list}>
        {fields.map((field) => (
          <option key={field} value={field} />
        ))}
      </datalist>
      <datalist id={`${list}-aggregates`}>
        {aggregates.map((aggregate) => (
          <option key={aggregate} value={aggregate} />
        ))}
      </datalist>
      {mode === 'rows' ? (
        <Fields
          label={t('columns')}
          add={t('addColumn')}
          values={plan.columns}
          max={planLimits.columns}
          list={list}
          change={(columns) => setPlan({ ...plan, columns })}
        />
      ) : (
        <>
          <Series {...parts} />
          <Formulas {...parts} />
          <Adding {...parts} isSingle={isSingle} />
          <Fields
            label={t('groupBy')}
            add={t('addGroup')}
            values={plan.groupBy}
            max={isSingle ? groupFieldsMax : planLimits.groups}
            list={list}
            change={(groupBy) => setPlan({ ...plan, groupBy })}
          />
        </>
      )}
    </div>
  )
}
