'use client'
import { useRouter } from 'next/navigation'
import { useTranslations } from 'next-intl'
import type { MouseEvent, ReactNode } from 'react'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import type { IssueContext } from '../panel.ts'
import { cutMiddle } from './tag-order.ts'

/** Paths of the events of this issue (`here`) and of all issues (`everywhere`) with a tag value. */
export type TagHrefs = Pick<IssueContext, 'hrefOf' | 'eventsHrefOf'>

/**
 * A tag value. A click shows the events of this issue that have it; Alt and a click all issues that do. The second link
 * is for pointers without Alt and for keyboards: it shows on hover and focus.
 */
export function TagValue({
  tag,
  value,
  hrefs,
  charactersMax = 40,
  children,
}: {
  tag: string
  value: string
  hrefs: TagHrefs
  charactersMax?: number
  /** Content of the link. Default: the value, cut in its middle. */
  children?: ReactNode
}) {
  const t = useTranslations('parts.tags')
  const router = useRouter()
  const [here, everywhere] = [hrefs.eventsHrefOf(tag, value), hrefs.hrefOf(tag, value)]
  const shown = `${tag.slice(0, 60)}: ${value.slice(0, 200)}`
  const open = (event: MouseEvent) => {
    if (!event.altKey) return
    // Browsers download the target of a link on Alt and a click.
    event.preventDefault()
    router.push(everywhere)
  }
  return (
    <span className="tag-pair">
      <Link href={here} title={t('here', { tag: shown })} onClick={open}>
        {children ??
          (value === '' ? (
            t('empty')
          ) : (
            <PlainText text={cutMiddle(value, charactersMax)} charactersMax={charactersMax} />
          ))}
      </Link>
      <Link className="tag-everywhere" href={everywhere} aria-label={t('everywhereLabel', { tag: shown })}>
        {t('everywhere')}
      </Link>
    </span>
  )
}
