'use client'
import { Check, ChevronUp, X } from 'lucide-react'
import { useTranslations } from 'next-intl'
import type { MouseEvent, ReactNode } from 'react'
import type { StatusChange } from '../../client/issue-status.ts'
import { Button, buttonClass } from '../../ui/forms/controls.tsx'
import { KeyHint } from '../../ui/key-hint.tsx'
import type { Decisions } from '../triage/decisions.tsx'
import type { Merge } from '../triage/merge.tsx'

/** Maximum issues of a change if only events can select them (query/issues.ts). */
const uncountedMax = 10_000

type BarProps = {
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
}

type Action = { id: string; text: string; key: string; run: () => void; off?: string | undefined }

function useActions({ decide, decisions, assign, merge }: BarProps): { first: Action[]; more: Action[] } {
  const t = useTranslations('issues.bulk')
  const bar = useTranslations('rows.bar')
  return {
    first: [
      { id: 'resolve', text: t('resolve'), key: 'e', run: () => decide({ status: 'resolved' }) },
      { id: 'snooze', text: bar('snooze'), key: 's', run: () => decisions.ask('snooze') },
      { id: 'archive', text: t('archive'), key: 'i', run: () => decisions.ask('archive') },
      { id: 'assign', text: t('assign'), key: 'a', run: assign },
      { id: 'priority', text: bar('priority'), key: 'p', run: () => decisions.ask('priority') },
      { id: 'merge', text: bar('merge'), key: 'm', run: merge.ask, off: merge.off },
    ],
    more: [
      { id: 'resolve-in', text: bar('resolveIn'), key: 'R', run: () => decisions.ask('resolve') },
      { id: 'unresolve', text: t('unresolve'), key: 'U', run: () => decide({ status: 'unresolved' }) },
    ],
  }
}

/** Closes the menu that a button of it is in. */
const closeMenu = (event: MouseEvent) => event.currentTarget.closest('details')?.removeAttribute('open')

/**
 * Actions on the selected rows, or on all matching issues. The bar floats over the end of the list, so that the column
 * heads stay in place. On a phone the later actions are in the menu.
 */
export function BulkBar(props: BarProps) {
  const { count, hits, isAll, canTriage, clear } = props
  const t = useTranslations('issues.bulk')
  const triage = useTranslations('triage.bar')
  const bar = useTranslations('rows.bar')
  const { first, more } = useActions(props)
  const why = canTriage ? undefined : t('notAllowed')
  const all = hits === null ? triage('allMatchingUncounted') : triage('allMatching', { count: hits })
  const button = ({ id, text, key, run, off }: Action, icon?: ReactNode) => (
    <Button
      key={id}
      {...(icon ? { look: 'main' as const } : {})}
      compact
      data-action={id}
      disabled={!canTriage || off !== undefined}
      title={why ?? off ?? bar('byKey', { text, key })}
      onClick={(event) => {
        closeMenu(event)
        run()
      }}
    >
      {icon}
      {text} <KeyHint name={key} />
    </Button>
  )
  return (
    <div className="bulk-place">
      <div className="bulk-bar" role="toolbar" aria-label={t('label')}>
        <b>{isAll ? all : t('selected', { count })}</b>
        <SelectAll {...props} />
        <span className="bulk-line" aria-hidden="true" />
        {first.map((action, at) => button(action, at === 0 ? <Check size={14} aria-hidden="true" /> : undefined))}
        <details className="bulk-more">
          <summary className={buttonClass({ compact: true })} aria-label={bar('more')}>
            <span className="bulk-more-text">{bar('more')}</span>
            <ChevronUp size={14} aria-hidden="true" />
          </summary>
          <div className="bulk-menu">{[...more, ...first.slice(3)].map((action) => button(action))}</div>
        </details>
        <Button
          compact
          look="plain"
          icon
          aria-label={t('clear')}
          title={bar('byKey', { text: t('clear'), key: 'esc' })}
          onClick={clear}
        >
          <X size={15} aria-hidden="true" />
        </Button>
      </div>
    </div>
  )
}

/** Selects everything that matches, with the number if it is known. */
function SelectAll({ hits, isAll, more, loaded, count, selectAll }: BarProps) {
  const t = useTranslations('issues.bulk')
  const bar = useTranslations('rows.bar')
  const triage = useTranslations('triage.bar')
  const beyond = !isAll && (hits === null ? more : hits > count)
  if (!beyond && loaded) return null
  return (
    <button
      type="button"
      className="link"
      title={more && hits === null ? triage('atMost', { count: uncountedMax }) : undefined}
      onClick={selectAll}
    >
      {hits === null ? (more ? triage('selectAllUncounted') : t('all')) : bar('selectAll', { count: hits })}
    </button>
  )
}
