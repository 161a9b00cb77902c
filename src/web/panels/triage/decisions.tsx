'use client'
import dynamic from 'next/dynamic'
import { useTranslations } from 'next-intl'
import { type ReactNode, useState } from 'react'
import { systemClock } from '../../../base/clock.ts'
import type { RestIssue } from '../../../contract/issues.ts'
import type { Choice } from '../../ui/choice-dialog.tsx'
import { useKey } from '../../ui/keys.tsx'
import { usePaletteActions } from '../../ui/palette-actions.tsx'
import type { Everything } from '../stream/bulk.ts'
import type { Standing } from '../stream/rows.ts'
import { putIssues, type Settled, useComplaint, useTakeBack } from './change.ts'
import { archiveWays, resolveWays, snoozeWays, type Way } from './status-choices.ts'
import type { OfferUndo } from './undo.ts'

const ChoiceDialog = dynamic(() => import('../../ui/choice-dialog.tsx').then((module) => module.ChoiceDialog), {
  ssr: false,
})

export type Priority = RestIssue['priority']
type Question = 'resolve' | 'archive' | 'snooze' | 'priority'
const priorities: readonly Priority[] = ['high', 'medium', 'low']

type Options = {
  organization: string
  canTriage: boolean
  /** The issues that a decision would be for. */
  targets: () => readonly Pick<RestIssue, 'id' | 'revision' | 'priority' | 'priorityReason'>[]
  decide: (standing: Standing) => void
  /** Everything that the search finds is meant: priorities go there, too. */
  all?: Everything | undefined
  ask: () => void
  settled: Settled
  offerUndo: OfferUndo
}

export type Decisions = { ask: (question: Question) => void; dialog: ReactNode }

/** Every way to decide on issues: keys, the dialogs behind them, and the same in the palette. */
export function useDecisionKeys(options: Options): Decisions {
  const { canTriage, decide } = options
  const t = useTranslations('triage')
  const keys = useTranslations('issues.keys')
  const [question, setQuestion] = useState<Question | undefined>()
  const setPriority = usePriority(options)
  const group = keys('group')
  const ask = (asked: Question) => {
    if (canTriage && options.targets().length > 0) setQuestion(asked)
  }
  useKey('e', group, keys('resolve'), () => decide({ status: 'resolved' }), canTriage)
  useKey('Shift+e', group, t('resolve.nextRelease'), () => decideNext(), canTriage)
  useKey('Shift+r', group, t('ask.resolve'), () => ask('resolve'), canTriage)
  useKey('Shift+u', group, keys('unresolve'), () => decide({ status: 'unresolved' }), canTriage)
  useKey('i', group, t('ask.archive'), () => ask('archive'), canTriage)
  useKey('s', group, t('ask.snooze'), () => ask('snooze'), canTriage)
  useKey('p', group, t('ask.priority'), () => ask('priority'), canTriage)
  const decideNext = () => decide({ status: 'resolved', statusDetails: { inNextRelease: true } })

  const ways = (kind: 'resolve' | 'archive' | 'snooze', list: readonly Way[]): Choice[] =>
    list.map(({ id, standing }) => ({ id: `${kind}-${id}`, text: t(`${kind}.${id}`), run: () => decide(standing) }))
  const choices: Record<Question, () => Choice[]> = {
    resolve: () => ways('resolve', resolveWays),
    archive: () => ways('archive', archiveWays),
    snooze: () => ways('snooze', snoozeWays(systemClock.now())),
    priority: () => [
      ...priorities.map((priority) => ({
        id: priority,
        text: t(`priority.${priority}`),
        run: () => setPriority(priority),
      })),
      { id: 'auto', text: t('priority.auto'), run: () => setPriority(null) },
    ],
  }
  usePaletteActions(() => {
    if (!canTriage || options.targets().length === 0) return []
    const meant = options.all ? options.all.count : options.targets().length
    const count = meant === null ? t('forAll') : t('forIssues', { count: meant })
    // Behind each choice the question that it answers: alone they would not say what they do.
    const of = (asked: Question) =>
      choices[asked]().map((item) => ({ ...item, note: `${t(`ask.${asked}`)} · ${count}` }))
    const plain: Choice[] = [
      { id: 'unresolve', text: keys('unresolve'), note: count, run: () => decide({ status: 'unresolved' }) },
      { id: 'assign', text: keys('assign'), note: count, run: options.ask },
    ]
    return [...of('resolve'), ...plain, ...of('archive'), ...of('snooze'), ...of('priority')]
  })
  const dialog = question ? (
    <ChoiceDialog
      title={t(`ask.${question}`)}
      label={t('choose')}
      none={t('noChoice')}
      choices={choices[question]()}
      onClose={() => setQuestion(undefined)}
    />
  ) : null
  return { ask, dialog }
}

/** Sets a priority, or lets it follow from level and state again; with a way back. */
function usePriority({ organization, canTriage, targets, all, settled, offerUndo }: Options) {
  const t = useTranslations('triage')
  const complain = useComplaint()
  const takeBack = useTakeBack(organization, settled)
  const own = (item: Pick<RestIssue, 'priority' | 'priorityReason'>) =>
    item.priorityReason === 'set' ? item.priority : null
  return (priority: Priority | null): void => {
    if (!canTriage) return
    if (all) {
      all.change({ priority })
      return
    }
    const before = targets().filter((target) => own(target) !== priority)
    const ids = before.map((item) => item.id)
    if (ids.length === 0) return
    putIssues(organization, ids, { priority })
      .then((sent) =>
        offerUndo(t('priority.done', { count: ids.length }), () =>
          takeBack(
            sent,
            before.map((issue) => ({ issue, body: { priority: own(issue) } })),
          ),
        ),
      )
      .catch((error: unknown) => complain(error))
      .finally(() => settled(ids))
  }
}
