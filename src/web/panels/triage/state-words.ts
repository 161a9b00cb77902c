'use client'
import { useTranslations } from 'next-intl'
import type { StatusDetails } from '../../../domain/issue-states.ts'
import { useTimeText } from '../../ui/time.tsx'

/** Describes in which release an issue is resolved, or until when it is archived. */
export function useStateWords(): (details: StatusDetails, substatus: string | null) => string {
  const t = useTranslations('triage.state')
  const { text, zone } = useTimeText()
  return (details, substatus) => {
    const { inRelease, ignoreUntil, ignoreCount, ignoreWindow, ignoreUserCount, ignoreUserWindow } = details
    if (inRelease !== undefined) return t('inRelease', { version: inRelease })
    if (details.inCommit) return t('inCommit', { commit: details.inCommit.commit.slice(0, 12) })
    if (details.inNextRelease) return t('inNextRelease')
    if (ignoreUntil !== undefined) return t('until', { time: `${text(Date.parse(ignoreUntil), 'minute')}, ${zone}` })
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
