'use client'
import '../../../../../styles/issues.css'
import '../../../../../styles/issue-head.css'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { withBase } from '../../../../../base-path.ts'
import { ApiError, isTemporary } from '../../../../../client/api.ts'
import { MetadataNotes } from '../../../../../panels/issue/metadata-note.tsx'
import { type LoadedIssue, useIssue } from '../../../../../panels/issue/use-issue.ts'
import { useIssueDecisions } from '../../../../../panels/issue/use-issue-decisions.ts'
import { useIssueKeys } from '../../../../../panels/issue/use-issue-keys.ts'
import type { IssueContext, Preloaded } from '../../../../../panels/panel.ts'
import { PanelList } from '../../../../../panels/panel-list.tsx'
import { viewSearchOf } from '../../../../../panels/search/list-params.ts'
import { tagHref } from '../../../../../panels/search/terms.ts'
import { useMarkSeen } from '../../../../../panels/triage/mark-seen.ts'
import { Link } from '../../../../../ui/link.tsx'
import { ListFailed, ListLoading } from '../../../../../ui/list-states.tsx'
import { useLive } from '../../../../../ui/live.tsx'
import { PlainText } from '../../../../../ui/plain-text.tsx'
import { issuePanels } from './panels.ts'

type PageProps = Pick<
  IssueContext,
  'organization' | 'projectPlace' | 'canTriage' | 'canFilter' | 'switches' | 'meUserId'
> & {
  issueId: string
  shortId: string
  title: string
  /** The selected event: latest, first, a number or an id. */
  choice: string
  loaded: LoadedIssue
  /** The preloaded data of the panels. */
  preloaded: Preloaded
}

/** What is known of an issue while its events cannot be read, with the way back. */
function AwayIssue({
  href,
  shortId,
  title,
  children,
}: Pick<PageProps, 'shortId' | 'title'> & { href: string; children: ReactNode }) {
  const t = useTranslations('issues')
  return (
    <div className="issue-page">
      <header className="issue-header">
        <p className="issue-way flex items-center">
          <Link className="link" href={href}>
            {t('title')}
          </Link>
          <code>{shortId}</code>
        </p>
        <div className="issue-title">
          <h1>
            <PlainText text={title} charactersMax={300} />
          </h1>
        </div>
      </header>
      {children}
    </div>
  )
}

/** The page of an issue with one of its events. It renders the panels of panels.ts. */
export function IssuePage({ organization, issueId, shortId, title, choice, loaded, preloaded, ...viewer }: PageProps) {
  const { canTriage } = viewer
  const { params, query, queryKey, detail, event, failure, refetch } = useIssue(organization, issueId, choice, loaded)
  const base = `/o/${organization}/issues`
  const viewSearch = viewSearchOf(params)
  const { decide, decisions, assign } = useIssueDecisions({
    organization,
    issueId,
    canTriage,
    detail,
    queryKey,
    refetch,
  })
  useMarkSeen(organization, issueId, detail?.hasSeen ?? true)
  useLive((live) => {
    if (live.kind === 'missed' || (live.kind === 'issue' && live.id === issueId)) refetch()
  })
  const linkText = () => `${window.location.origin}${withBase(`/i/${encodeURIComponent(shortId)}`)}`
  const markdown = async () =>
    event
      ? await fetch(withBase(`${base}/${issueId}/md?event=${event.eventID}`)).then((answer) =>
          answer.ok ? answer.text() : '',
        )
      : ''
  useIssueKeys({ organization, issueId, event, base, viewSearch, linkText, markdown })
  if (!detail)
    return failure || loaded.isAway ? (
      <AwayIssue href={`${base}${viewSearch}`} shortId={shortId} title={title}>
        <ListFailed error={failure ?? new ApiError(503, 'STORE_UNAVAILABLE', '')} retrying />
      </AwayIssue>
    ) : (
      <ListLoading />
    )
  const context: IssueContext = {
    ...viewer,
    organization,
    detail,
    event,
    base,
    viewSearch,
    query,
    hrefOf: (tag, value) => tagHref(base, viewSearch, tag, value),
    eventsHrefOf: (tag, value) => tagHref(`${base}/${encodeURIComponent(shortId)}/events`, viewSearch, tag, value),
    actions: { decide, ask: decisions.ask, assign, changed: refetch, linkText, markdown },
  }
  return (
    <div className="issue-page">
      {assign.dialog}
      {decisions.dialog}
      {failure && isTemporary(failure) ? <ListFailed error={failure} retrying /> : null}
      <PanelList panels={issuePanels.head} context={context} preloaded={preloaded} />
      <div className="issue-body">
        <div className="issue-parts">
          {event ? (
            <MetadataNotes event={event}>
              <PanelList panels={issuePanels.event} context={{ ...context, event }} preloaded={preloaded} />
            </MetadataNotes>
          ) : (
            <PanelList panels={issuePanels.withoutEvent} context={context} preloaded={preloaded} />
          )}
        </div>
        <aside className="issue-side">
          <PanelList panels={issuePanels.side} context={context} preloaded={preloaded} />
        </aside>
      </div>
    </div>
  )
}
