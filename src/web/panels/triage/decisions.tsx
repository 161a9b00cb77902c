'use client'
import dynamic from 'next/dynamic'
import { useTranslations } from 'next-intl'
import { type ReactNode, useState } from 'react'
import { systemClock } from '../../../base/clock.ts'
import type { RestIssue } from '../../../contract/issues.ts'
import { patientImport } from '../../client/connection.ts'
import type { StatusChange } from '../../client/issue-status.ts'
import type { Choice } from '../../ui/forms/choice-dialog.tsx'
import { useKey } from '../../ui/keys/keys.tsx'
import { usePaletteActions } from '../../ui/palette-actions.tsx'
import type { OfferUndo } from '../../ui/undo.ts'
import type { Everything } from './bulk-change.ts'
import { putIssues, type Settled, useErrorToast, useRevert } from './change.ts'
import { archiveChoices, resolveChoices, type StatusChoice, snoozeChoices } from './status-choices.ts'

const ChoiceDialog = dynamic(
  patientImport(() => import('../../ui/forms/choice-dialog.tsx').then((module) => module.ChoiceDialog)),
  {
    ssr: false,
  },
)

const CommitDialog = dynamic(
  patientImport(() => import('./commit-dialog.tsx').then((module) => module.CommitDialog)),
  { ssr: false },
)

type Priority = RestIssue['priority']
type Question = 'resolve' | 'archive' | 'snooze' | 'priority'
/** Choosing a commit is a second question of `resolve`. */
type OpenQuestion = Question | 'commit'
const priorities: readonly Priority[] = ['high', 'medium', 'low']

type Options = {
  organization: string
  canTriage: boolean
  /** The issues to change. */
  targets: () => readonly Pick<RestIssue, 'id' | 'revision' | 'priority' | 'priorityReason'>[]
  decide: (change: StatusChange) => void
  /** Set if everything that the search finds is changed instead of the targets. */
  all?: Everything | undefined
  ask: () => void
  settled: Settled
  offerUndo: OfferUndo
}

export type Decisions = { ask: (question: Question) => void; dialog: ReactNode }

/** All changes of issues: by keys, by dialogs, and in the palette. */
export function useDecisionKeys(options: Options): Decisions {
  const { canTriage, decide } = options
  const t = useTranslations('triage')
  const keys = useTranslations('issues.keys')
  const [question, setQuestion] = useState<OpenQuestion | undefined>()
  const setPriority = usePriority(options)
  const group = keys('group')
  const ask = (nextQuestion: Question) => {
    if (canTriage && options.targets().length > 0) setQuestion(nextQuestion)
  }
  useKey('e', group, keys('resolve'), () => decide({ status: 'resolved' }), canTriage)
  useKey('Shift+e', group, t('resolve.nextRelease'), () => decideNext(), canTriage)
  useKey('Shift+r', group, t('ask.resolve'), () => ask('resolve'), canTriage)
  useKey('Shift+u', group, keys('unresolve'), () => decide({ status: 'unresolved' }), canTriage)
  useKey('i', group, t('ask.archive'), () => ask('archive'), canTriage)
  useKey('s', group, t('ask.snooze'), () => ask('snooze'), canTriage)
  useKey('p', group, t('ask.priority'), () => ask('priority'), canTriage)
  const decideNext = () => decide({ status: 'resolved', statusDetails: { inNextRelease: true } })

  const choicesOf = (kind: 'resolve' | 'archive' | 'snooze', list: readonly StatusChoice[]): Choice[] =>
    list.map(({ id, change }) => ({ id: `${kind}-${id}`, text: t(`${kind}.${id}`), run: () => decide(change) }))
  const choices: Record<Question, () => Choice[]> = {
    resolve: () => [
      ...choicesOf('resolve', resolveChoices),
      { id: 'resolve-commit', text: t('resolve.commit'), run: () => setQuestion('commit') },
    ],
    archive: () => choicesOf('archive', archiveChoices),
    snooze: () => choicesOf('snooze', snoozeChoices(systemClock.now())),
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
    // Add the question to each choice, because the choice alone does not tell what it does.
    const of = (nextQuestion: Question) =>
      choices[nextQuestion]().map((choice) => ({ ...choice, note: `${t(`ask.${nextQuestion}`)} · ${count}` }))
    const plain: Choice[] = [
      { id: 'unresolve', text: keys('unresolve'), note: count, run: () => decide({ status: 'unresolved' }) },
      { id: 'assign', text: keys('assign'), note: count, run: options.ask },
    ]
    return [...of('resolve'), ...plain, ...of('archive'), ...of('snooze'), ...of('priority')]
  })
  const close = () => setQuestion(undefined)
  const dialog =
    question === 'commit' ? (
      <CommitDialog organization={options.organization} decide={decide} onClose={close} />
    ) : question ? (
      <ChoiceDialog
        title={t(`ask.${question}`)}
        label={t('choose')}
        none={t('noChoice')}
        choices={choices[question]()}
        onClose={close}
      />
    ) : null
  return { ask, dialog }
}

/** Sets a priority, or derives it again from level and state (null). Offers undo. */
function usePriority({ organization, canTriage, targets, all, settled, offerUndo }: Options) {
  const t = useTranslations('triage')
  const showError = useErrorToast()
  const revert = useRevert(organization, settled)
  const manualPriority = (issue: Pick<RestIssue, 'priority' | 'priorityReason'>) =>
    issue.priorityReason === 'set' ? issue.priority : null
  return (priority: Priority | null): void => {
    if (!canTriage) return
    if (all) {
      all.change({ priority })
      return
    }
    const before = targets().filter((target) => manualPriority(target) !== priority)
    const ids = before.map((target) => target.id)
    if (ids.length === 0) return
    putIssues(organization, ids, { priority })
      .then((sent) =>
        offerUndo(t('priority.done', { count: ids.length }), () =>
          revert(
            sent,
            before.map((issue) => ({ issue, body: { priority: manualPriority(issue) } })),
          ),
        ),
      )
      .catch((error: unknown) => showError(error))
      .finally(() => settled(ids))
  }
}
