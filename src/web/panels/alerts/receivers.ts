'use client'
import { useTranslations } from 'next-intl'
import type { AlertAction } from '../../../contract/alerts/alerts.ts'
import type { RestChannel } from '../../../contract/alerts/notifications.ts'

/** Channels, people, schedules and trackers that a rule can name. */
export type KnownReceivers = {
  channels: readonly (Pick<
    RestChannel,
    'id' | 'kind' | 'name' | 'target' | 'subscription' | 'failingSince' | 'lastError' | 'isActive'
  > & {
    /** Messages of the last 30 days that arrived, and all that were tried. */
    arrived: number
    tried: number
  })[]
  people: readonly { id: string; name: string; email: string }[]
  schedules: readonly { id: string; name: string }[]
  trackers: readonly { id: string; name: string; kind: string }[]
}

/** How a receiver is shown. `isGone`: it was deleted, so nothing reaches it. */
export type ReceiverWords = {
  name: string
  note: string
  isGone: boolean
  failing: { since: string; error: string } | undefined
  /** How many of its messages arrived; '' if there were none. */
  arrived?: string
}

/** A function that names the receiver of an action. */
export function useReceiverWords(known: KnownReceivers): (action: AlertAction) => ReceiverWords {
  const t = useTranslations('alerts.receivers')
  const gone = (note: string): ReceiverWords => ({ name: t('gone'), note, isGone: true, failing: undefined })
  const named = (name: string, note: string): ReceiverWords => ({ name, note, isGone: false, failing: undefined })
  return (action) => {
    switch (action.type) {
      case 'channel': {
        const channel = known.channels.find(({ id }) => id === action.channel)
        if (!channel) return gone(t('channel'))
        const { name, kind, failingSince, lastError } = channel
        return {
          ...named(name, t.has(`kinds.${kind}`) ? t(`kinds.${kind}`) : kind),
          arrived: channel.tried > 0 ? t('arrived', { arrived: channel.arrived, tried: channel.tried }) : '',
          failing: failingSince === null ? undefined : { since: failingSince, error: lastError },
        }
      }
      case 'person': {
        const person = known.people.find(({ id }) => id === action.person)
        return person ? named(person.name || person.email, t('person')) : gone(t('person'))
      }
      case 'on_call': {
        const schedule = known.schedules.find(({ id }) => id === action.schedule)
        return schedule ? named(schedule.name, t('onCall')) : gone(t('onCall'))
      }
      case 'tracker': {
        const tracker = known.trackers.find(({ id }) => id === action.tracker)
        return tracker ? named(tracker.name, t('tracker')) : gone(t('tracker'))
      }
      default:
        return named(t(action.type), t('personal'))
    }
  }
}
