'use client'
import { useTranslations } from 'next-intl'
import type { StatusChange } from '../../client/issue-status.ts'
import { Button } from '../../ui/controls.tsx'
import type { Decisions } from '../triage/decisions.tsx'
import type { Merge } from '../triage/merge.tsx'

/** Maximum issues of a change if only events can select them (query/issues.ts). */
const uncountedMax = 10_000

/** Actions on the selected rows, or on all matching issues. */
export function BulkBar({
  count,
  hits,
  more,
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
  /** Number of matching issues; null while unknown. */
  hits: number | null
  /** Whether the action applies to all matching issues, not only to the selected rows. */
  isAll: boolean
  /** Whether there are rows that are not loaded. */
  more: boolean
  /** Whether every loaded row is selected. */
  loaded: boolean
  canTriage: boolean
  decide: (change: StatusChange) => void
  decisions: Decisions
  assign: () => void
  merge: Merge
  clear: () => void
  selectAll: () => void
}) {
  const t = useTranslations('issues')
  const triage = useTranslations('triage')
  const counted = (key: 'allMatching' | 'selectAll') =>
    hits === null ? triage(`bar.${key}Uncounted`) : triage(`bar.${key}`, { count: hits })
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
  const beyond = !isAll && (hits === null ? more : hits > count)
  return (
    <div className="bulk-bar" role="toolbar" aria-label={t('bulk.label')}>
      <b>{isAll ? counted('allMatching') : t('bulk.selected', { count })}</b>
      {buttons.map(({ text, run, off }) => (
        <Button key={text} compact disabled={!canTriage || off !== undefined} title={why ?? off} onClick={run}>
          {text}
        </Button>
      ))}
      {beyond || !loaded ? (
        <Button
          compact
          look="plain"
          title={loaded && hits === null ? triage('bar.atMost', { count: uncountedMax }) : undefined}
          onClick={selectAll}
        >
          {loaded ? counted('selectAll') : t('bulk.all')}
        </Button>
      ) : null}
      <Button compact look="plain" onClick={clear}>
        {t('bulk.clear')}
      </Button>
    </div>
  )
}
