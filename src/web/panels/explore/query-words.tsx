'use client'
import { useTranslations } from 'next-intl'
import type { Plan } from '../../../contract/explore/explore.ts'
import { Code } from '../../ui/code.tsx'
import { CopyButton } from '../../ui/copy/copy-button.tsx'
import { PlainText } from '../../ui/plain-text.tsx'

/** The parts of a sentence about a plan. */
function usePlanWords(plan: Plan): string {
  const all = useTranslations('explore')
  const t = useTranslations('explore.inWords')
  const dataset = all(`datasets.${plan.dataset}`)
  const series = plan.series.map(({ name, aggregate, query }) =>
    query ? t('seriesWhere', { name, aggregate, query }) : t('series', { name, aggregate }),
  )
  const what =
    series.length > 0
      ? t('figures', { dataset, series: series.join(', ') })
      : t('rows', { dataset, columns: plan.columns.join(', ') })
  const formulas = plan.formulas.map(({ name, expression }) => `${name} = ${expression}`)
  return [
    what,
    ...(formulas.length > 0 ? [t('formulas', { formulas: formulas.join(', ') })] : []),
    plan.query === '' ? t('all') : t('matching', { query: plan.query }),
    ...(plan.groupBy.length > 0 ? [t('by', { fields: plan.groupBy.join(', ') })] : []),
    ...(plan.compare ? [t('compared')] : []),
    ...(plan.order === ''
      ? []
      : [t(plan.order.startsWith('-') ? 'descending' : 'ascending', { name: plan.order.replace(/^-/, '') })]),
    t('limit', { count: plan.limit }),
  ].join('; ')
}

/** The query as a sentence, and as SQL for people. */
export function QueryWords({ plan, sql }: { plan: Plan; sql: string }) {
  const t = useTranslations('explore')
  const words = usePlanWords(plan)
  return (
    <section className="explore-words" aria-label={t('words')}>
      <h2>{t('words')}</h2>
      <p>
        <PlainText text={`${words}.`} charactersMax={5000} />
      </p>
      {sql === '' ? null : (
        <details>
          <summary>{t('sql')}</summary>
          <Code text={sql} language="sql" label={t('sql')} />
          <CopyButton text={sql} label={t('copySql')} />
        </details>
      )}
    </section>
  )
}
