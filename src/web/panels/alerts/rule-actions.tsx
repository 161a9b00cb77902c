'use client'
import { Ellipsis } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { systemClock } from '../../../base/clock.ts'
import type { RestAlertRule } from '../../../contract/alerts/alerts.ts'
import { apiFetch } from '../../client/api.ts'
import { buttonClass } from '../../ui/forms/controls.tsx'
import { Menu } from '../../ui/menu.tsx'
import { useNow } from '../../ui/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { useUndo } from '../../ui/undo.ts'
import { bodyOf, draftOf } from './draft.ts'
import { shownStateOf } from './rule-state.tsx'

const hourMs = 3_600_000
/** How long a rule can be muted by one press, in hours. */
const muteHours = [1, 8, 24, 168] as const

type Change = { mutedUntil?: string | null; isActive?: boolean }

/** Changes of a stored rule beside its form: mute, pause, duplicate, delete. `onChanged` gets the rule as it is then. */
function useActions(organization: string, rule: RestAlertRule, onChanged: (rule: RestAlertRule | undefined) => void) {
  const t = useTranslations('alerts.actions')
  const router = useRouter()
  const toast = useToast()
  const offerUndo = useUndo()
  const base = `organizations/${organization}/alerts/`
  async function run(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      toast({ kind: 'error', text: error instanceof Error ? error.message : t('failed') })
    }
  }
  return {
    change: (change: Change) =>
      run(async () => onChanged(await apiFetch<RestAlertRule>(`${base}${rule.id}/`, { method: 'PUT', body: change }))),
    duplicate: () =>
      run(async () => {
        const body = { ...bodyOf(draftOf(rule)), name: t('copyOf', { name: rule.name }).slice(0, 200) }
        const made = await apiFetch<RestAlertRule>(base, { method: 'POST', body })
        router.push(`/o/${organization}/alerts/${made.id}`)
      }),
    remove: () =>
      run(async () => {
        await apiFetch(`${base}${rule.id}/`, { method: 'DELETE' })
        onChanged(undefined)
        offerUndo(
          t('deleted', { name: rule.name }),
          () =>
            void run(async () => {
              await apiFetch(`${base}${rule.id}/restore/`, { method: 'POST' })
              router.refresh()
            }),
        )
      }),
  }
}

/** The menu of a stored rule. */
export function RuleActions({
  organization,
  rule,
  onChanged,
}: {
  organization: string
  rule: RestAlertRule
  /** Undefined: it was deleted. */
  onChanged: (rule: RestAlertRule | undefined) => void
}) {
  const t = useTranslations('alerts.actions')
  const state = shownStateOf(rule, useNow())
  const { change, duplicate, remove } = useActions(organization, rule, onChanged)
  const mute = (hours: number) =>
    void change({ mutedUntil: new Date(systemClock.now() + hours * hourMs).toISOString() })
  const row = (text: string, run: () => void) => (
    <button type="button" className="menu-row" data-closes onClick={run}>
      {text}
    </button>
  )
  return (
    <Menu
      name={t('menu', { name: rule.name })}
      className={buttonClass({ look: 'plain', icon: true }, 'alert-menu')}
      panelClass="alert-menu-panel"
      summary={<Ellipsis size={15} strokeWidth={1.75} />}
    >
      {state === 'muted'
        ? row(t('unmute'), () => void change({ mutedUntil: null }))
        : muteHours.map((hours) => <div key={hours}>{row(t('mute', { hours }), () => mute(hours))}</div>)}
      <hr className="menu-line" />
      {rule.unevaluable.length > 0
        ? null
        : row(t(rule.isActive ? 'pause' : 'resume'), () => void change({ isActive: !rule.isActive }))}
      {rule.unevaluable.length > 0 || rule.areProjectsGone ? null : row(t('duplicate'), () => void duplicate())}
      {row(t('delete'), () => void remove())}
    </Menu>
  )
}
