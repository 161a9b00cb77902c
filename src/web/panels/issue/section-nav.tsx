'use client'
import { ChevronLeft, ChevronRight, ChevronsLeft, ChevronsRight } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import type { RestEvent } from '../../../contract/events.ts'
import { buttonClass } from '../../ui/forms/controls.tsx'
import { useKey } from '../../ui/keys/keys.tsx'
import { Link } from '../../ui/link.tsx'
import { RowEnd } from '../../ui/row-end.tsx'
import { Time } from '../../ui/time.tsx'
import type { IssueContext } from '../panel.ts'
import { type PageSection, sectionIds, sectionsOf } from './page-sections.ts'

const icon = { size: 15, strokeWidth: 1.75, 'aria-hidden': true } as const

/** Scrolls to a section and moves the focus there, as its link does. */
const goTo = (id: string) => document.querySelector<HTMLAnchorElement>(`.section-nav a[data-section="${id}"]`)?.click()

/** The key of one section. It does nothing if the event has no such section. */
function SectionKey({ id, number }: { id: PageSection['id']; number: number }) {
  const t = useTranslations('issuepage.sections')
  const group = useTranslations('issues.keys')
  useKey(String(number), group('group'), t('go', { name: t(id) }), () => goTo(id))
  return null
}

/** The section that is at the top of the window. Between two sections it is still the one before. */
function useCurrent(sections: readonly PageSection[]): string | undefined {
  const [current, setCurrent] = useState(sections[0]?.anchor)
  const ids = sections.map((section) => section.anchor).join(' ')
  useEffect(() => {
    const inSight = new Set<string>()
    const anchors = ids.split(' ')
    const observer = new IntersectionObserver(
      (entries) => {
        for (const entry of entries) {
          if (entry.isIntersecting) inSight.add(entry.target.id)
          else inSight.delete(entry.target.id)
        }
        setCurrent((before) => anchors.find((anchor) => inSight.has(anchor)) ?? before)
      },
      // The upper third of the window, below this bar.
      { rootMargin: '-40px 0px -66% 0px' },
    )
    for (const anchor of anchors) {
      const element = document.getElementById(anchor)
      if (element) observer.observe(element)
    }
    return () => observer.disconnect()
  }, [ids])
  return current
}

/** The position of this event, with links to its neighbours. */
function EventSwitch({ event, eventBase, viewSearch }: { event: RestEvent; eventBase: string; viewSearch: string }) {
  const t = useTranslations('issues.page')
  const to = (choice: string | null) => (choice === null ? undefined : `${eventBase}/${choice}${viewSearch}`)
  const { previousEventID: previous, nextEventID: next } = event
  const links = [
    { label: t('oldest'), key: '{', href: to(previous && 'first'), Icon: ChevronsLeft },
    { label: t('older'), key: '[', href: to(previous), Icon: ChevronLeft },
    { label: t('newer'), key: ']', href: to(next), Icon: ChevronRight },
    { label: t('latest'), key: '}', href: to(next && 'latest'), Icon: ChevronsRight },
  ]
  return (
    <div className="event-nav">
      <span className="event-which">
        <b>{t('number', { number: event.number, total: event.total })}</b>{' '}
        <Time at={event.dateCreated} className="text-ink-3" />
      </span>
      {links.map(({ label, key, href, Icon }) =>
        href ? (
          <Link
            key={key}
            className={buttonClass({ look: 'plain', compact: true, icon: true })}
            href={href}
            scroll={false}
            aria-label={label}
            title={`${label} (${key})`}
          >
            <Icon {...icon} />
          </Link>
        ) : (
          <span key={key} className="event-step" aria-hidden="true">
            <Icon {...icon} />
          </span>
        ),
      )}
      <Link className="link" href={`${eventBase}${viewSearch}`}>
        {t('allEvents')}
      </Link>
      <RowEnd />
    </div>
  )
}

/** Links to the page's sections, with counts, and the event switch. Stays at the top of the window. */
export function SectionNav({ event, base, detail, viewSearch }: IssueContext) {
  const t = useTranslations('issuepage.sections')
  const sections = sectionsOf(detail, event)
  const current = useCurrent(sections)
  return (
    <div className="section-bar">
      <nav className="section-nav" aria-label={t('label')}>
        {sections.map(({ id, name, anchor, count, number }) => (
          <a
            key={id}
            href={`#${anchor}`}
            title={`${t(name)} (${number})`}
            data-section={id}
            aria-current={anchor === current ? 'true' : undefined}
          >
            {t(name)} {count === undefined ? null : <span>{count}</span>}
          </a>
        ))}
      </nav>
      {sectionIds.map((id, at) => (
        <SectionKey key={id} id={id} number={at + 1} />
      ))}
      {event ? <EventSwitch event={event} eventBase={`${base}/${detail.id}/events`} viewSearch={viewSearch} /> : null}
    </div>
  )
}
