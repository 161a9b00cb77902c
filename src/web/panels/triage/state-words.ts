'use client'
import { useFormatter, useTranslations } from 'next-intl'
import type { StatusDetails } from '../../../domain/issue-states.ts'

/** Describes in which release an issue is resolved, or until when it is archived. */
export function useStateWords(): (details: StatusDetails, substatus: string | null) => string {
  const t = useTranslations('triage.state')
  const format = useFormatter()
  return (details, substatus) => {
    const { inRelease, ignoreUntil, ignoreCount, ignoreWindow, ignoreUserCount, ignoreUserWindow } = details
    if (inRelease !== undefined) return t('inRelease', { version: inRelease })
    if (details.inCommit) return t('inCommit', { commit: details.inCommit.commit.slice(0, 12) })
    if (details.inNextRelease) return t('inNextRelease')
    if (ignoreUntil !== undefined) {
      const time = format.dateTime(new Date(ignoreUntil), { dateStyle: 'medium', timeStyle: 'short' })
      return t('until', { time: `${time} UTC` })
    }
    if (ignoreCount !== undefined)
      return ignoreWindow === undefined
        ? t('events', { count: ignoreCount })
        : t('eventsWindow', { count: ignoreCount, minutes: ignoreWindow })
    if (ignoreUserCount !== undefined)
      return ignoreUserWindow === undefined
        ? t('users', { count: ignoreUserCount })
        : t('usersWindow', { count: ignoreUserCount, minutes: ignoreUserWindow })
    return substatus === 'archived_until_escalating' ? t('escalating') : ''
  }
}
