'use client'
import { ArrowDown, ArrowUp, ChevronLeft, ClipboardCopy } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { type ListPlace, placeOf } from '../../client/list-order.ts'
import { copyText } from '../../ui/copy/clipboard.ts'
import { CopyButton } from '../../ui/copy/copy-button.tsx'
import { Button, buttonClass } from '../../ui/forms/controls.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { Rail } from '../../ui/rail.tsx'
import { RowEnd } from '../../ui/row-end.tsx'
import { useToast } from '../../ui/toast.tsx'
import type { IssueContext } from '../panel.ts'
import { Attention } from '../triage/attention.tsx'
import { useStateWords } from '../triage/state-words.ts'
import { Badges } from './badges.tsx'
import { IssueMenu } from './issue-menu.tsx'

const icon = { size: 15, strokeWidth: 1.75, 'aria-hidden': true } as const

/** The issue's place in the list that this tab showed last, with links to its neighbours. Its room is kept empty. */
function Place({
  organization,
  issueId,
  base,
  viewSearch,
}: Record<'organization' | 'issueId' | 'base' | 'viewSearch', string>) {
  const t = useTranslations('issuepage')
  const keys = useTranslations('triage.keys')
  const [place, setPlace] = useState<ListPlace>()
  // The list is in the browser's storage, so the server cannot know it.
  useEffect(() => setPlace(placeOf(organization, issueId)), [organization, issueId])
  const links = [
    { id: place?.previous, label: keys('previousIssue'), key: 'k', Icon: ArrowUp },
    { id: place?.next, label: keys('nextIssue'), key: 'j', Icon: ArrowDown },
  ]
  return (
    <span className="issue-place">
      <span className="issue-place-words">
        {place ? t('place', { number: place.number, total: place.total }) : null}
      </span>
      {links.map(({ id, label, key, Icon }) =>
        id === undefined ? (
          <span key={key} className="issue-step" aria-hidden="true">
            {place ? <Icon {...icon} /> : null}
          </span>
        ) : (
          <Link
            key={key}
            className={buttonClass({ look: 'plain', compact: true, icon: true })}
            href={`${base}/${id}${viewSearch}`}
            aria-label={label}
            title={`${label} (${key})`}
          >
            <Icon {...icon} />
          </Link>
        ),
      )}
    </span>
  )
}

/** Copies the event as Markdown, for a ticket or an agent. Key `c` does the same. */
export function CopyMarkdown({ markdown }: { markdown: () => Promise<string> }) {
  const t = useTranslations('issues.page')
  const toast = useToast()
  const copy = async () => {
    if (await copyText(await markdown())) toast({ text: t('copiedMarkdown'), stayMs: 3000 })
  }
  return (
    <Button look="plain" compact onClick={() => void copy()}>
      <ClipboardCopy {...icon} /> {t('copyMarkdown')} <kbd className="key">c</kbd>
    </Button>
  )
}

/** The line above the title: the way back, the issue's id and state, and what a reader can do with the issue. */
export function IssueCrumbs(props: IssueContext) {
  const { detail, event, base, viewSearch, organization, projectPlace, actions } = props
  const t = useTranslations('issues')
  const badge = useTranslations('issues.badge')
  const words = useStateWords()
  const state = words(detail.statusDetails, detail.substatus)
  return (
    <div className="issue-crumbs issue-way">
      <Link href={`${base}${viewSearch}`} className="issue-back" title={t('title')}>
        <ChevronLeft size={14} strokeWidth={1.75} aria-hidden="true" /> <span className="issue-wide">{t('title')}</span>
      </Link>
      <Rail place={projectPlace} />
      <code title={detail.project.name}>{detail.shortId}</code>
      <CopyButton text={actions.linkText} label={t('page.copyLink')} iconOnly />
      <Badges issue={detail} badge={badge} />
      {state ? (
        <span className="issue-state-words" title={state}>
          <PlainText text={state} charactersMax={240} />
        </span>
      ) : null}
      <span className="issue-where" title={detail.culprit}>
        <PlainText text={detail.culprit} charactersMax={300} />
      </span>
      <Place organization={organization} issueId={detail.id} base={base} viewSearch={viewSearch} />
      {event ? (
        <span className="issue-wide">
          <CopyMarkdown markdown={actions.markdown} />
        </span>
      ) : null}
      <Attention organization={organization} detail={detail} changed={actions.changed} />
      <IssueMenu {...props} />
      <RowEnd />
    </div>
  )
}
