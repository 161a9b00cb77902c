'use client'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import type { RestAlertRule } from '../../../contract/alerts/alerts.ts'
import { useAlertReason } from '../../client/alert-reason.ts'
import { PlainText } from '../../ui/plain-text.tsx'
import { type Severity, SeverityShape } from '../../ui/severity.tsx'
import { Time, useNow } from '../../ui/time.tsx'

type Shown = Pick<RestAlertRule, 'isActive' | 'mutedUntil' | 'state' | 'unevaluable'>

type ShownState = RestAlertRule['state']['status'] | 'muted'

/** One state for a rule: paused and muted rules first, because they send nothing. */
export function shownStateOf({ isActive, mutedUntil, state }: Shown, nowMs: number): ShownState {
  if (!isActive || state.status === 'inactive') return 'inactive'
  return mutedUntil !== null && Date.parse(mutedUntil) > nowMs ? 'muted' : state.status
}

const shapes: Readonly<Record<ShownState, Severity>> = {
  critical: 'error',
  warning: 'warning',
  not_evaluated: 'warning',
  waiting: 'debug',
  ok: 'ok',
  muted: 'debug',
  inactive: 'debug',
}

/** The state of a rule as a shape and a word. */
export function RuleState({ rule }: { rule: Shown }) {
  const t = useTranslations('alerts.state')
  const state = shownStateOf(rule, useNow())
  return (
    <span className="alert-state" data-state={state}>
      <SeverityShape level={shapes[state]} label="" /> {t(state)}
    </span>
  )
}

function Notice({ level, children }: { level: Severity; children: ReactNode }) {
  return (
    <div className="alert-notice" role="status">
      <SeverityShape level={level} label="" sizePx={10} />
      <div>{children}</div>
    </div>
  )
}

/** Why a rule sends nothing now: muted, paused, not evaluated, waiting, or with conditions that Mishap cannot judge. */
export function RuleNotices({ rule }: { rule: Shown }) {
  const t = useTranslations('alerts.notice')
  const reasonOf = useAlertReason()
  const now = useNow()
  const { state, unevaluable, mutedUntil } = rule
  const shown = shownStateOf(rule, now)
  const reason =
    state.reason === '' ? null : <PlainText text={reasonOf(state.reason, state.reasonCode)} charactersMax={500} />
  return (
    <>
      {unevaluable.length > 0 ? (
        <Notice level="warning">
          <p>{t('unevaluable')}</p>
          <ul>
            {unevaluable.map((condition) => (
              <li key={condition}>
                <code>
                  <PlainText text={condition} charactersMax={300} />
                </code>
              </li>
            ))}
          </ul>
        </Notice>
      ) : null}
      {shown === 'inactive' && unevaluable.length === 0 ? (
        <Notice level="debug">
          <p>
            {t('inactive')} {reason}
          </p>
        </Notice>
      ) : null}
      {mutedUntil !== null && shown === 'muted' ? (
        <Notice level="debug">
          <p>
            {t('muted')} <Time at={mutedUntil} form="minute" />.
          </p>
        </Notice>
      ) : null}
      {shown === 'not_evaluated' || shown === 'waiting' ? (
        <Notice level={shown === 'waiting' ? 'debug' : 'warning'}>
          <p>
            {t(shown)} {reason}
          </p>
          {state.evaluatedTo === null ? null : (
            <p className="alert-note">
              {t('evaluatedTo')} <Time at={state.evaluatedTo} form="minute" />
            </p>
          )}
        </Notice>
      ) : null}
      {state.groups && state.groups.beyond > 0 ? (
        <Notice level="debug">
          <p>{t('beyondGroups', { watched: state.groups.watched, count: state.groups.beyond })}</p>
        </Notice>
      ) : null}
      {shown === 'critical' || shown === 'warning' ? (
        <Notice level={shown === 'critical' ? 'error' : 'warning'}>
          <p>
            {t(shown)} {state.since === null ? null : <Time at={state.since} form="minute" />}
          </p>
          {state.groups && state.groups.firing.length > 0 ? (
            <p>
              <PlainText text={state.groups.firing.map(({ name }) => name).join(', ')} charactersMax={600} />
            </p>
          ) : null}
        </Notice>
      ) : null}
    </>
  )
}
