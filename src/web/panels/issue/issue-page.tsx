'use client'
import './issues.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'next-intl'
import { type ReactNode, useMemo } from 'react'
import type { RestCommitters } from '../../../contract/commits.ts'
import type { RestEvent } from '../../../contract/events.ts'
import type { RestIssueDetail } from '../../../contract/issues.ts'
import { withBase } from '../../base-path.ts'
import { ApiError, type ApiRequest, apiFetch } from '../../client/api.ts'
import { growingPause } from '../../client/backoff.ts'
import { copyText } from '../../ui/clipboard.ts'
import { useKey } from '../../ui/keys.tsx'
import { useLive } from '../../ui/live.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { bytesText } from '../../ui/relative.ts'
import { EmptyState } from '../../ui/states.tsx'
import { useToast } from '../../ui/toast.tsx'
import { Chart } from '../charts/chart.tsx'
import { Signs } from '../diagnostics/diagnostics.tsx'
import { BrowserSide } from '../error-links/browser-side.tsx'
import { DigestList } from '../error-links/digest-list.tsx'
import { HiddenError } from '../error-links/hidden-error.tsx'
import { useFailure } from '../error-links/use-failure.ts'
import { type GivenMarks, type MarksQuery, marksQuery } from '../releases/mark-groups.ts'
import { ReleaseLink } from '../releases/release-link.tsx'
import { Suspects } from '../releases/suspects.tsx'
import { useReleaseMarks } from '../releases/use-marks.ts'
import { tagHref } from '../search/terms.ts'
import { wantsDoctor } from '../source-maps/doctor-questions.ts'
import { EventDoctor } from '../source-maps/event-doctor.tsx'
import { type Standing, statusesOf, withStatus } from '../stream/rows.ts'
import { RangeSelect } from '../stream/stream-filters.tsx'
import { useStreamParams } from '../stream/stream-params.ts'
import { keptSearch } from '../stream/stream-query.ts'
import { StreamFailed, StreamLoading } from '../stream/stream-states.tsx'
import { TraceStrip } from '../traces/trace-strip.tsx'
import { ActivityList } from '../triage/activity.tsx'
import { type Assign, useAssign } from '../triage/assignee.tsx'
import { useDecisionKeys } from '../triage/decisions.tsx'
import { useLook } from '../triage/mark-seen.ts'
import { useTriage } from '../triage/triage.ts'
import { useUndo } from '../triage/undo.ts'
import { Mark, RemarksProvider, Section } from './annotations.tsx'
import { Breadcrumbs } from './breadcrumbs.tsx'
import { Attachments, Contexts, Csp, Grouping, RemarkList, Request, SdkAndPackages, User } from './details.tsx'
import { InCommon } from './in-common.tsx'
import { EventNav, IssueHeader } from './issue-header.tsx'
import { useIssueKeys } from './issue-keys.ts'
import { IssueNumbers } from './issue-stats.tsx'
import { NoiseBar } from './noise.tsx'
import { Payload } from './payload.tsx'
import type { GivenParts } from './preloaded-parts.ts'
import { remarksOf, stackNoteOf } from './remarks.ts'
import { entryOf, sectionsOf } from './sections.ts'
import { Exceptions, Frames, Threads } from './stack.tsx'
import { EventTags, TagBars, type TagHref } from './tags.tsx'
import { UserReports } from './user-reports.tsx'

type PageProps = {
  organization: string
  issueId: string
  shortId: string
  /** Which event: latest, first, a number or an id. */
  choice: string
  detail: RestIssueDetail | undefined
  event: RestEvent | undefined
  away: boolean
  canTriage: boolean
  canFilter: boolean
  meUserId: string
  /** Releases and deploys for the chart. */
  marks: GivenMarks | undefined
  /** Commits that may have brought the issue; undefined: nobody could say. */
  suspects: RestCommitters | undefined
  /** What came with the document of the parts that ask for themselves. */
  parts: GivenParts
}

const mayWait = (error: unknown) => error instanceof ApiError && (error.status === 0 || error.status === 503)

/** Issue and event, given by the server where the store answered it, else (and after changes) by the API. */
function useIssue({ organization, issueId, choice, detail, event, away }: PageProps) {
  const [params] = useStreamParams()
  const { range, env } = params
  const query = useMemo(
    () => ({
      ...(range.kind === 'relative'
        ? { statsPeriod: range.period }
        : { start: new Date(range.fromMs).toISOString(), end: new Date(range.toMs).toISOString() }),
      environment: env ? env.split(',') : undefined,
    }),
    [range, env],
  )
  const path = `organizations/${organization}/issues/${issueId}/`
  const key = useMemo(() => ['issue', organization, issueId, query] as const, [organization, issueId, query])
  const options = {
    retry: (tries: number, error: Error) => mayWait(error) && tries < 1000,
    retryDelay: (tries: number) => growingPause(tries),
  }
  const issue = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => apiFetch<RestIssueDetail>(path, { query, signal }),
    initialData: detail,
    staleTime: 30_000,
    ...options,
  })
  const shown = useQuery({
    queryKey: ['issue-event', organization, issueId, choice, event?.eventID],
    queryFn: ({ signal }) => apiFetch<RestEvent>(`${path}events/${encodeURIComponent(choice)}/`, { signal }),
    initialData: event,
    enabled: away,
    staleTime: Number.POSITIVE_INFINITY,
    ...options,
  })
  return { params, query, key, issue, event: shown.data, failure: issue.failureReason ?? shown.failureReason }
}

/** What can be done with the issue, shown at once and guarded by its revision. */
function useDeciding({
  organization,
  issueId,
  canTriage,
  detail,
  queryKey,
  refetch,
}: {
  organization: string
  issueId: string
  canTriage: boolean
  detail: RestIssueDetail | undefined
  queryKey: readonly unknown[]
  refetch: () => void
}) {
  const client = useQueryClient()
  // As the server will have it: each change is one revision more.
  const patch = (change: (before: RestIssueDetail) => Partial<RestIssueDetail>) =>
    client.setQueryData<RestIssueDetail>(
      queryKey,
      (before) => before && { ...before, ...change(before), revision: before.revision + 1 },
    )
  const show = (_ids: readonly string[], standing: Standing) => patch((before) => withStatus(before, standing))
  const offerUndo = useUndo()
  const triage = useTriage(organization, show, refetch, offerUndo)
  const assign = useAssign({
    organization,
    canTriage,
    targets: () => (detail ? [detail] : []),
    show: (_ids, assignedTo) => patch(() => ({ assignedTo })),
    settled: refetch,
    offerUndo,
    guarded: true,
  })
  const decide = (standing: Standing) => {
    if (detail && canTriage) void triage(statusesOf([detail], new Set([issueId])), standing, detail.revision)
  }
  const targets = () => (detail ? [detail] : [])
  const decisions = useDecisionKeys({
    organization,
    canTriage,
    targets,
    decide,
    offerUndo,
    ask: assign.ask,
    settled: refetch,
  })
  return { decide, decisions, assign }
}

/** The page of one issue with one of its events. */
export function IssuePage(props: PageProps) {
  const { organization, issueId, shortId, canTriage, away } = props
  const t = useTranslations('issues')
  const toast = useToast()
  const [, change] = useStreamParams()
  const { params, query, key, issue, event, failure } = useIssue(props)
  const detail = issue.data
  const base = `/o/${organization}/issues`
  const kept = keptSearch(params)
  const hrefOf = (tag: string, value: string) => tagHref(base, kept, tag, value)
  const refetch = () => void issue.refetch()
  const { decide, decisions, assign } = useDeciding({
    organization,
    issueId,
    canTriage,
    detail,
    queryKey: key,
    refetch,
  })
  useLook(organization, issueId, detail?.hasSeen ?? true)
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
  const group = t('keys.group')
  useIssueKeys(organization, issueId, event, {
    list: `${base}${kept}`,
    issue: (id) => `${base}/${id}${kept}`,
    event: (choice) => `${base}/${issueId}/events/${choice}${kept}`,
  })
  useKey('c', group, t('page.copyMarkdown'), async () => {
    if (await copyText(await markdown())) toast({ text: t('page.copiedMarkdown'), stayMs: 3000 })
  })
  useKey('y', group, t('page.copyLink'), async () => {
    if (await copyText(linkText())) toast({ text: t('page.copiedLink'), stayMs: 3000 })
  })
  if (!detail)
    return failure || away ? (
      <StreamFailed error={failure ?? new ApiError(503, 'STORE_UNAVAILABLE', '')} retrying />
    ) : (
      <StreamLoading />
    )
  return (
    <div className="issue-page">
      {assign.dialog}
      {decisions.dialog}
      {failure && mayWait(failure) ? <StreamFailed error={failure} retrying /> : null}
      <IssueHeader
        detail={detail}
        event={event}
        base={base}
        listSearch={kept}
        organization={organization}
        canTriage={canTriage}
        decide={decide}
        decisions={decisions}
        linkText={linkText}
        changed={refetch}
      />
      <NoiseBar
        organization={organization}
        detail={detail}
        canTriage={canTriage}
        canFilter={props.canFilter}
        changed={refetch}
        archive={() => decide({ status: 'ignored', substatus: 'archived_forever' })}
      />
      <Figures
        organization={organization}
        detail={detail}
        query={query}
        given={props.marks}
        range={<RangeSelect params={params} change={change} />}
        assign={canTriage ? assign : undefined}
        askPriority={canTriage ? () => decisions.ask('priority') : undefined}
      />
      {event ? (
        <EventNav
          event={event}
          eventBase={`${base}/${issueId}/events`}
          kept={kept}
          copyMarkdown={markdown}
          markdownHref={`${base}/${issueId}.md?event=${event.eventID}`}
          jsonHref={`${base}/${issueId}.json?event=${event.eventID}`}
        />
      ) : null}
      <div className="issue-body">
        <div className="issue-parts">
          {event ? (
            <EventParts
              event={event}
              organization={organization}
              detail={detail}
              base={base}
              hrefOf={hrefOf}
              suspects={props.suspects}
              parts={props.parts}
            />
          ) : (
            <>
              <EmptyState title={t('page.evicted')}>{t('page.evictedTodo')}</EmptyState>
              <BrowserSide base={base} side={detail.browserSide} ofEvent={null} />
            </>
          )}
        </div>
        <IssueSide
          organization={organization}
          detail={detail}
          query={query}
          hrefOf={hrefOf}
          canTriage={canTriage}
          meUserId={props.meUserId}
          parts={props.parts}
          changed={refetch}
        />
      </div>
    </div>
  )
}

/** What stands beside the event: how the issue's events differ from others, their tags, what happened to the issue. */
function IssueSide({
  organization,
  detail,
  query,
  hrefOf,
  canTriage,
  meUserId,
  parts,
  changed,
}: Pick<PageProps, 'organization' | 'canTriage' | 'meUserId' | 'parts'> & {
  detail: RestIssueDetail
  query: NonNullable<ApiRequest['query']>
  hrefOf: TagHref
  changed: () => void
}) {
  const { id: issueId, activity } = detail
  const given = parts.query === JSON.stringify(query) ? parts : undefined
  const inCommon = (
    <InCommon organization={organization} issueId={issueId} query={query} hrefOf={hrefOf} given={given?.inCommon} />
  )
  return (
    <aside className="issue-side">
      {parts.inCommon ? inCommon : null}
      <TagBars organization={organization} issueId={issueId} query={query} hrefOf={hrefOf} given={given?.tags} />
      <ActivityList
        organization={organization}
        issueId={issueId}
        activity={activity}
        canTriage={canTriage}
        meUserId={meUserId}
        changed={changed}
      />
      {/* late, it stands last: what a person reads by then stays where it is */}
      {parts.inCommon ? null : inCommon}
    </aside>
  )
}

/** The issue in numbers and over time. */
function Figures({
  organization,
  detail,
  query,
  given,
  range,
  assign,
  askPriority,
}: {
  organization: string
  detail: RestIssueDetail
  query: MarksQuery
  given: GivenMarks | undefined
  range: ReactNode
  assign: Assign | undefined
  askPriority: (() => void) | undefined
}) {
  const { project } = detail
  const own = useMemo(() => marksQuery({ ...query, project: [project.id] }), [query, project.id])
  const marks = useReleaseMarks(organization, own, given)
  return (
    <div className="issue-figures">
      <IssueNumbers organization={organization} detail={detail} assign={assign} askPriority={askPriority} />
      <div className="issue-range">{range}</div>
      <Chart organization={organization} points={Object.values(detail.stats)[0] ?? []} marks={marks} />
    </div>
  )
}

/** All parts that the payload has; the others are named in one line. */
function EventParts({
  event,
  organization,
  detail,
  base,
  hrefOf,
  suspects,
  parts,
}: {
  event: RestEvent
  organization: string
  detail: RestIssueDetail
  base: string
  hrefOf: TagHref
  suspects: RestCommitters | undefined
  parts: GivenParts
}) {
  const t = useTranslations('issues')
  const { id: issueId } = detail
  const project = detail.project.slug
  const failure = useFailure(organization, issueId, event)
  const { present, missing } = useMemo(() => sectionsOf(event), [event])
  const remarks = useMemo(() => remarksOf(event._meta, event.errors), [event])
  const message = entryOf(event, 'message')
  const exception = entryOf(event, 'exception')
  const stack = entryOf(event, 'stacktrace')
  const threads = entryOf(event, 'threads')
  const csp = entryOf(event, 'csp')
  const crumbs = entryOf(event, 'breadcrumbs')
  const request = entryOf(event, 'request')
  return (
    <RemarksProvider remarks={remarks}>
      {failure ? (
        <HiddenError
          organization={organization}
          project={project}
          failure={failure}
          sureDigest={event.digests.some((digest) => digest.sure)}
        />
      ) : null}
      {event.signs ? <Signs signs={event.signs} /> : null}
      <EventFacts organization={organization} event={event} />
      {suspects ? <Suspects organization={organization} found={suspects} /> : null}
      <UserReports organization={organization} issueId={issueId} given={parts.reports} />
      {message ? (
        <Section id="message" title={t('page.message')}>
          <p className="exception-value">
            <PlainText text={message.data.formatted} charactersMax={8000} />
            <Mark path="logentry.formatted" />
          </p>
        </Section>
      ) : null}
      {exception && present.has('exception') ? (
        <Exceptions key={event.eventID} values={exception.data.values} note={stackNoteOf(event.errors)} />
      ) : null}
      {stack ? (
        <Section id="stacktrace" title={t('stack.trace')}>
          <Frames trace={stack.data} path="stacktrace" mode="app" />
        </Section>
      ) : null}
      {wantsDoctor(event) ? (
        <EventDoctor organization={organization} project={project} eventId={event.eventID} given={parts.diagnosis} />
      ) : null}
      <BrowserSide base={base} side={detail.browserSide} ofEvent={failure?.browser ?? null} />
      <TraceStrip key={`s${event.eventID}`} organization={organization} event={event} base={base} given={parts.trace} />
      {threads?.data.values.length ? <Threads key={`t${event.eventID}`} threads={threads.data.values} /> : null}
      {csp ? <Csp report={csp.data} /> : null}
      {crumbs && present.has('breadcrumbs') ? (
        <Breadcrumbs key={`b${event.eventID}`} crumbs={crumbs.data.values} eventAt={event.dateCreated} />
      ) : null}
      {request ? <Request request={request.data} /> : null}
      {event.user && present.has('user') ? <User user={event.user} /> : null}
      <DigestList digests={event.digests} />
      {present.has('tags') ? <EventTags event={event} hrefOf={hrefOf} /> : null}
      {present.has('contexts') || present.has('extra') ? <Contexts event={event} /> : null}
      {present.has('attachments') ? <Attachments event={event} organization={organization} project={project} /> : null}
      {present.has('sdk') || present.has('packages') ? <SdkAndPackages event={event} /> : null}
      {remarks.length ? <RemarkList remarks={remarks} /> : null}
      {event.grouping.variants.length ? <Grouping event={event} base={`${base}/${issueId}`} /> : null}
      <Payload
        key={`j${event.eventID}`}
        organization={organization}
        issueId={issueId}
        eventId={event.eventID}
        size={bytesText(event.size)}
      />
      {missing.length ? (
        <p className="part-note">
          {t('page.notSent', { names: missing.map((name) => t(`section.${name}`)).join(', ') })}
        </p>
      ) : null}
    </RemarksProvider>
  )
}

/** One line of what places the event: environment, release, trace. */
function EventFacts({ organization, event }: { organization: string; event: RestEvent }) {
  const t = useTranslations('issues.section')
  const facts = [
    ['environment', event.environment],
    ['release', event.release?.version],
    ['dist', event.dist],
    ['trace', event.traceId],
  ] as const
  const sent = facts.filter(([, value]) => value)
  if (sent.length === 0) return null
  return (
    <dl className="event-facts">
      {sent.map(([name, value]) => (
        <div key={name}>
          <dt>{t(name)}</dt>
          <dd>
            {name === 'release' ? (
              <ReleaseLink organization={organization} version={value ?? ''} charactersMax={200} />
            ) : (
              <code>
                <PlainText text={value ?? ''} charactersMax={200} />
              </code>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}
