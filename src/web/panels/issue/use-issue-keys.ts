'use client'
import { useRouter } from 'next/navigation'
import { useTranslations } from 'next-intl'
import type { RestEvent } from '../../../contract/events.ts'
import { placeOf } from '../../client/list-order.ts'
import { copyText } from '../../ui/copy/clipboard.ts'
import { useKey } from '../../ui/keys/keys.tsx'
import { useToast } from '../../ui/toast.tsx'
import { useRangeKey } from '../search/range-key.ts'

/** Moves the focus by `step` visible frames. */
function goToFrame(step: number): void {
  const heads = [...document.querySelectorAll<HTMLElement>('.frame .frame-head')]
  const at = heads.indexOf(document.activeElement as HTMLElement)
  const next = heads[at < 0 ? (step > 0 ? 0 : heads.length - 1) : at + step]
  if (!next) return
  if (!next.hasAttribute('tabindex') && next.tagName !== 'BUTTON') next.tabIndex = -1
  next.focus()
  next.scrollIntoView({ block: 'nearest' })
}

/** Switches between application frames and all frames. */
function switchFrames(): void {
  const [ownButton, all] = document.querySelectorAll<HTMLElement>('#exceptions [role="radio"]')
  if (ownButton?.getAttribute('aria-checked') === 'true') all?.click()
  else ownButton?.click()
}

/** Clicks the page's button for a key, so that key and button do the same. */
const press = (selector: string) => document.querySelector<HTMLElement>(selector)?.click()

/** The keys of the issue page: other issues of the list, other events, frames, JSON, copying. */
export function useIssueKeys({
  organization,
  issueId,
  event,
  base,
  viewSearch,
  linkText,
  markdown,
}: {
  organization: string
  issueId: string
  event: RestEvent | undefined
  /** Path of the stream, and the query string to append to links. */
  base: string
  viewSearch: string
  linkText: () => string
  markdown: () => Promise<string>
}): void {
  const t = useTranslations('triage.keys')
  const issues = useTranslations('issues')
  const router = useRouter()
  const toast = useToast()
  const group = issues('keys.group')
  const toIssue = (side: 'previous' | 'next') => {
    const id = placeOf(organization, issueId)?.[side]
    if (id !== undefined) router.push(`${base}/${id}${viewSearch}`)
  }
  const toEvent = (choice: string | null | undefined) =>
    choice && router.push(`${base}/${issueId}/events/${choice}${viewSearch}`, { scroll: false })
  useRangeKey()
  useKey('j', group, t('nextIssue'), () => toIssue('next'))
  useKey('k', group, t('previousIssue'), () => toIssue('previous'))
  useKey('u', group, t('backToList'), () => router.push(`${base}${viewSearch}`))
  useKey('[', group, issues('page.older'), () => toEvent(event?.previousEventID))
  useKey(']', group, issues('page.newer'), () => toEvent(event?.nextEventID))
  useKey('{', group, t('firstEvent'), () => toEvent(event?.previousEventID ? 'first' : undefined))
  useKey('}', group, t('latestEvent'), () => toEvent(event?.nextEventID ? 'latest' : undefined))
  useKey('n', group, t('nextFrame'), () => goToFrame(1))
  useKey('Shift+n', group, t('previousFrame'), () => goToFrame(-1))
  useKey('f', group, t('frames'), switchFrames)
  useKey('r', group, t('raw'), () => {
    press('#json button')
    document.getElementById('json')?.scrollIntoView({ block: 'start' })
  })
  useKey('c', group, issues('page.copyMarkdown'), async () => {
    if (await copyText(await markdown())) toast({ text: issues('page.copiedMarkdown'), stayMs: 3000 })
  })
  useKey('y', group, issues('page.copyLink'), async () => {
    if (await copyText(linkText())) toast({ text: issues('page.copiedLink'), stayMs: 3000 })
  })
}
