'use client'
import { Bell, BellOff, Bookmark, BookmarkCheck } from 'lucide-react'
import { useTranslations } from 'next-intl'
import type { RestIssueDetail } from '../../../contract/issues.ts'
import { Button } from '../../ui/forms/controls.tsx'
import { putIssues, useErrorToast } from './change.ts'

const icon = { size: 15, strokeWidth: 1.75, 'aria-hidden': true } as const
/** Maximum names to show; the others are counted. */
const namesMax = 3

/** The person's own bookmark and subscription, which need only read access, and who has seen the issue. */
export function Attention({
  organization,
  detail,
  changed,
}: {
  organization: string
  detail: RestIssueDetail
  changed: () => void
}) {
  const t = useTranslations('triage.attention')
  const showError = useErrorToast()
  const put = (body: object) =>
    void putIssues(organization, [detail.id], body)
      .catch((error: unknown) => showError(error))
      .finally(changed)
  const reasons = ['asked', 'commented', 'assigned', 'mentioned', 'bookmarked', 'changed'] as const
  const reason = reasons.find((candidate) => candidate === detail.subscriptionDetails?.reason)
  const names = detail.seenBy.map((viewer) => viewer.name || viewer.email)
  const shown = names.slice(0, namesMax).join(', ').slice(0, 120)
  const { isBookmarked, isSubscribed } = detail
  return (
    <span className="issue-attention">
      <Button
        look="plain"
        compact
        icon
        aria-pressed={isBookmarked}
        aria-label={t('bookmark')}
        title={t(isBookmarked ? 'bookmarked' : 'bookmark')}
        onClick={() => put({ isBookmarked: !isBookmarked })}
      >
        {isBookmarked ? <BookmarkCheck {...icon} className="text-accent" /> : <Bookmark {...icon} />}
      </Button>
      <Button
        look="plain"
        compact
        icon
        aria-pressed={isSubscribed}
        aria-label={t('subscribe')}
        title={reason ? t(`subscribedWhy_${reason}`) : t('subscribe')}
        onClick={() => put({ isSubscribed: !isSubscribed })}
      >
        {isSubscribed ? <Bell {...icon} className="text-accent" /> : <BellOff {...icon} />}
      </Button>
      <span className="text-small text-ink-3" title={names.join('\n').slice(0, 2_000)}>
        {names.length === 0 ? t('nobodySaw') : `${t('seenBy')} ${shown}`}
        {names.length > namesMax ? ` +${names.length - namesMax}` : ''}
      </span>
    </span>
  )
}
