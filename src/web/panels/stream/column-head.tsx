'use client'
import { useTranslations } from 'next-intl'
import type { RestIssue } from '../../../contract/issues.ts'
import { TrendHead } from '../../ui/chart/trend.tsx'
import type { Range } from '../search/range.ts'

type ColumnHeadProps = {
  range: Range
  rows: readonly RestIssue[]
  selection: { loaded: boolean; selectLoaded: () => void; unselect: () => void }
}

/** The heads of the columns. The one of the trends states their scale. */
export function ColumnHead({ range, rows, selection }: ColumnHeadProps) {
  const all = useTranslations('issues.bulk')
  const t = useTranslations('issues.column')
  const row = useTranslations('rows')
  const name = useTranslations('rows.trend.range')
  return (
    <div className="issue-columns">
      <span className="issue-check">
        <input
          type="checkbox"
          className="checkbox"
          aria-label={all('all')}
          checked={selection.loaded}
          onChange={selection.loaded ? selection.unselect : selection.selectLoaded}
        />
      </span>
      <span aria-hidden="true">{t('issue')}</span>
      <div className="issue-trend">
        <TrendHead range={name(range.kind === 'relative' ? range.period : 'absolute')} rows={rows} />
      </div>
      <span aria-hidden="true" className="issue-number">
        {t('events')}
      </span>
      <span aria-hidden="true" className="issue-number issue-users">
        {t('users')}
      </span>
      <span aria-hidden="true" className="issue-seen">
        {t('seen')}
      </span>
      <span aria-hidden="true" className="issue-priority">
        {row('priority')}
      </span>
      <span aria-hidden="true" className="issue-assignee">
        <span className="issue-name">{t('assignee')}</span>
      </span>
    </div>
  )
}
