'use client'
import { useTranslations } from 'next-intl'
import { useRef } from 'react'
import { datasets } from '../../../domain/datasets.ts'
import { exploreKeyTable } from '../explore/key-tables.ts'
import { SearchBox } from '../search/search-box.tsx'
import { errorsAt, filterOf, measureOf, measures, triggerOf, triggerTypes, withFilter, withMeasure } from './draft.ts'
import { useEditor } from './editor-context.ts'
import { FieldErrors, Pick, Step } from './fields.tsx'
import { ProjectPick } from './project-pick.tsx'
import { IssueTriggers, TriggerNumbers } from './when-issue.tsx'
import { MetricNumbers, MetricQuery } from './when-metric.tsx'

/** What the rule is about. It decides the kind of a new rule; a stored rule keeps its kind. */
function Subject() {
  const t = useTranslations('alerts.form')
  const measure = useTranslations('alerts.measure')
  const trigger = useTranslations('alerts.trigger')
  const { draft, change, rule } = useEditor()
  const { kind, issue, metric } = draft
  const [first = triggerOf('new'), ...others] = issue.when
  const issues = triggerTypes.map((type) => ({ value: `issue ${type}`, text: trigger(type) }))
  const metrics = measures.map((name) => ({ value: `metric ${name}`, text: measure(name) }))
  const choices = [...(rule?.kind === 'metric' ? [] : issues), ...(rule?.kind === 'issue' ? [] : metrics)]
  function choose(value: string): void {
    const type = triggerTypes.find((known) => value === `issue ${known}`)
    if (type) change({ kind: 'issue', issue: { ...issue, when: [triggerOf(type), ...others] } })
    const name = measures.find((known) => value === `metric ${known}`)
    if (name === 'query')
      change({
        kind: 'metric',
        // A second series makes it a query: with a single series, it would be the named measure again.
        metric: measureOf(metric) === 'query' ? metric : withQuery(metric),
      })
    else if (name) change({ kind: 'metric', metric: withMeasure(metric, name) })
  }
  const value = kind === 'issue' ? `issue ${first.type}` : `metric ${measureOf(metric)}`
  return <Pick label={t('subject')} value={value} choices={choices} onChange={choose} />
}

const withQuery = (metric: ReturnType<typeof useEditor>['draft']['metric']) => ({
  ...metric,
  plan: {
    ...metric.plan,
    series: [...metric.plan.series, { name: 'b', aggregate: 'count()' }],
    formulas: [{ name: 'c', expression: 'a / b' }],
  },
  of: 'c',
})

/** The search of the rule, with the keys of its dataset. What is typed counts when the focus leaves, too. */
function Filter() {
  const t = useTranslations('alerts.form')
  const { organization, draft, change, mayWrite, fields } = useEditor()
  const typed = useRef<string>(undefined)
  const { kind, metric, projects, environment } = draft
  const value = filterOf(draft)
  const search = (query: string) => {
    typed.current = undefined
    if (query !== value) change(withFilter(draft, query))
  }
  const errors = errorsAt(fields, 'issue.filter', 'metric.plan.query')
  if (!mayWrite) return value === '' ? <span className="alert-note">{t('everything')}</span> : <code>{value}</code>
  return (
    <SearchBox
      key={kind === 'issue' ? 'issues' : metric.plan.dataset}
      organization={organization}
      value={value}
      onSearch={search}
      onType={(text) => {
        typed.current = text
      }}
      onLeave={() => typed.current !== undefined && search(typed.current)}
      error={errors.length > 0 ? errors : undefined}
      scope={{
        project: projects.length > 0 ? projects : undefined,
        environment: environment === null ? undefined : [environment],
      }}
      hiddenParams={{}}
      label={t('filter')}
      placeholder={t('everything')}
      jumps={false}
      table={exploreKeyTable(kind === 'issue' ? 'errors' : metric.plan.dataset)}
    />
  )
}

/** Part 1: what is watched, where, and from which value on. */
export function When() {
  const t = useTranslations('alerts.form')
  const { draft, change, environments, fields } = useEditor()
  const { kind, issue, metric, environment } = draft
  const [first = triggerOf('new')] = issue.when
  const isQuery = kind === 'metric' && measureOf(metric) === 'query'
  const names =
    environment !== null && !environments.includes(environment) ? [...environments, environment] : environments
  return (
    <Step number={1} title={t('when')}>
      <div className="alert-line">
        <Subject />
        {kind === 'issue' ? (
          <TriggerNumbers
            trigger={first}
            onChange={(trigger) => change({ issue: { ...issue, when: [trigger, ...issue.when.slice(1)] } })}
          />
        ) : null}
        <span>{t('in')}</span>
        <ProjectPick />
        <Pick
          label={t('environment')}
          value={environment ?? ''}
          choices={[{ value: '', text: t('everyEnvironment') }, ...names.map((name) => ({ value: name, text: name }))]}
          onChange={(name) => change({ environment: name === '' ? null : name })}
        />
      </div>
      {isQuery ? <MetricQuery datasets={datasets} /> : null}
      {kind === 'issue' ? <IssueTriggers /> : null}
      <div className="alert-line alert-line-filter">
        <span>{t('thatMatch')}</span>
        <Filter />
      </div>
      {kind === 'metric' ? <MetricNumbers /> : null}
      <FieldErrors errors={errorsAt(fields, 'projects', 'environment', 'issue.when', 'issue.match', 'metric')} />
    </Step>
  )
}
