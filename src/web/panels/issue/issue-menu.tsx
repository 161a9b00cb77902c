'use client'
import { Ellipsis } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { type KeyboardEvent, useRef } from 'react'
import { withBase } from '../../base-path.ts'
import { CopyButton } from '../../ui/copy/copy-button.tsx'
import type { IssueContext } from '../panel.ts'
import { ArchiveButton, PriorityButton } from './issue-actions.tsx'
import { CopyMarkdown } from './issue-crumbs.tsx'

/** What is needed rarely: the event's id and its other formats. On a phone also the actions that do not fit. */
export function IssueMenu(props: IssueContext) {
  const { event, base, detail, actions } = props
  const t = useTranslations('issuepage')
  const menu = useRef<HTMLDetailsElement>(null)
  const close = (pressed: KeyboardEvent) => {
    if (pressed.key !== 'Escape' || !menu.current?.open) return
    pressed.stopPropagation()
    menu.current.open = false
    menu.current.querySelector('summary')?.focus()
  }
  const issuePath = `${base}/${detail.id}`
  return (
    <details ref={menu} className="issue-menu" onKeyDown={close}>
      <summary className="button button-plain button-compact button-icon" aria-label={t('menu')} title={t('menu')}>
        <Ellipsis size={15} strokeWidth={1.75} aria-hidden="true" />
      </summary>
      <div className="issue-menu-panel">
        <div className="issue-narrow-only">
          <PriorityButton {...props} />
          <ArchiveButton {...props} />
          {event ? <CopyMarkdown markdown={actions.markdown} /> : null}
        </div>
        {event ? (
          <>
            <p>
              {t('eventId')} <code className="event-id">{event.eventID}</code>
              <CopyButton text={event.eventID} label={t('copyEventId')} iconOnly />
            </p>
            <p>
              {t('formats')}{' '}
              <a className="link" href={withBase(`${issuePath}.md?event=${event.eventID}`)}>
                .md
              </a>{' '}
              <a className="link" href={withBase(`${issuePath}.json?event=${event.eventID}`)}>
                .json
              </a>
            </p>
          </>
        ) : null}
      </div>
    </details>
  )
}
