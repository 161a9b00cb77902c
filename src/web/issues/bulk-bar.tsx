'use client'
import { useTranslations } from 'next-intl'
import { Button } from '../ui/controls.tsx'
import type { Decisions } from './decisions.tsx'
import type { Merge } from './merge.tsx'
import type { Standing } from './rows.ts'

/** What can be done with the selected rows, or with all that match. */
export function BulkBar({
  count,
  hits,
  isAll,
  loaded,
  canTriage,
  decide,
  decisions,
  assign,
  merge,
  clear,
  selectAll,
}: {
  count: number
  /** How many issues the search finds; null while nobody knows. */
  hits: number | null
  /** All that match are meant, not only the selected rows. */
  isAll: boolean
  /** Every loaded row is selected. */
  loaded: boolean
  canTriage: boolean
  decide: (standing: Standing) => void
  decisions: Decisions
  assign: () => void
  merge: Merge
  clear: () => void
  selectAll: () => void
}) {
  const t = useTranslations('issues')
  const triage = useTranslations('triage')
  const why = canTriage ? undefined : t('bulk.notAllowed')
  const buttons: { text: string; run: () => void; off?: string | undefined }[] = [
    { text: t('bulk.resolve'), run: () => decide({ status: 'resolved' }) },
    { text: triage('bar.resolveIn'), run: () => decisions.ask('resolve') },
    { text: t('bulk.unresolve'), run: () => decide({ status: 'unresolved' }) },
    { text: triage('bar.archive'), run: () => decisions.ask('archive') },
    { text: triage('bar.snooze'), run: () => decisions.ask('snooze') },
    { text: t('bulk.assign'), run: assign },
    { text: triage('bar.priority'), run: () => decisions.ask('priority') },
    { text: triage('bar.merge'), run: merge.ask, off: merge.off },
  ]
  const more = hits !== null && hits > count && !isAll
  return (
    <div className="bulk-bar" role="toolbar" aria-label={t('bulk.label')}>
      <b>{isAll ? triage('bar.allMatching', { count: hits ?? count }) : t('bulk.selected', { count })}</b>
      {buttons.map(({ text, run, off }) => (
        <Button key={text} compact disabled={!canTriage || off !== undefined} title={why ?? off} onClick={run}>
          {text}
        </Button>
      ))}
      {more || !loaded ? (
        <Button compact look="plain" onClick={selectAll}>
          {loaded ? triage('bar.selectAll', { count: hits ?? count }) : t('bulk.all')}
        </Button>
      ) : null}
      <Button compact look="plain" onClick={clear}>
        {t('bulk.clear')}
      </Button>
    </div>
  )
}
