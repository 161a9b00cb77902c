'use client'
import { useTranslations } from 'next-intl'
import type { RestIncident } from '../../../../../../../contract/alerts/incidents.ts'
import { noState } from '../../../../../../client/form.ts'
import { ActionForm } from '../../../../../../ui/forms/action-form.tsx'
import { Button, Select } from '../../../../../../ui/forms/controls.tsx'
import { changeIncidentAction } from './actions.ts'

const snoozeHours = [1, 4, 24, 168] as const

/** The buttons of an open incident. */
export function IncidentActions({
  organization,
  id,
  status,
  isSnoozed,
}: {
  organization: string
  id: string
  status: RestIncident['status']
  isSnoozed: boolean
}) {
  const t = useTranslations('incidents')
  return (
    <ActionForm
      action={changeIncidentAction}
      initial={noState}
      name={`incident-${id}`}
      className="mb-6 flex flex-wrap items-center gap-2"
    >
      {(_state, pending) => (
        <>
          <input type="hidden" name="organization" value={organization} />
          <input type="hidden" name="incident" value={id} />
          {status === 'acknowledged' ? null : (
            <Button type="submit" name="do" value="acknowledge" look="main" disabled={pending}>
              {t('acknowledge')}
            </Button>
          )}
          <Button type="submit" name="do" value="resolve" disabled={pending}>
            {t('resolve')}
          </Button>
          {isSnoozed ? (
            <Button type="submit" name="do" value="wake" disabled={pending}>
              {t('wake')}
            </Button>
          ) : (
            <>
              <Select name="hours" aria-label={t('snoozeFor')} defaultValue="1" className="w-auto">
                {snoozeHours.map((hours) => (
                  <option key={hours} value={hours}>
                    {hours < 48 ? t('hours', { count: hours }) : t('days', { count: hours / 24 })}
                  </option>
                ))}
              </Select>
              <Button type="submit" name="do" value="snooze" disabled={pending}>
                {t('snooze')}
              </Button>
            </>
          )}
        </>
      )}
    </ActionForm>
  )
}
