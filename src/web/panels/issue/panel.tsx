'use client'
import { useTranslations } from 'next-intl'
import type { RestTraceMoment } from '../../../contract/explore/logs.ts'
import type { RestInCommon, RestTag } from '../../../contract/issues.ts'
import type { RestAnnotations } from '../../../contract/releases.ts'
import type { Answered } from '../../client/answered.ts'
import { entryOf } from '../../client/event-entries.ts'
import { Section } from '../../ui/panel-section.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import type { EventPanel, IssuePanel } from '../panel.ts'
import { AffectedUsers } from './affected-users.tsx'
import { Attachments } from './attachments.tsx'
import { Contexts, Csp, EventDetails, Grouping, NoteList, Request, SdkAndPackages, User } from './details.tsx'
import { hasSection, missingSections } from './event-sections.ts'
import { InCommon } from './in-common.tsx'
import { headOf } from './issue-head.ts'
import { IssueHeader } from './issue-header.tsx'
import { IssueStats } from './issue-stats.tsx'
import { MetadataNote } from './metadata-note.tsx'
import { stackNoteOf } from './metadata-notes.ts'
import { NoiseBar } from './noise.tsx'
import { Payload } from './payload.tsx'
import { SectionNav } from './section-nav.tsx'
import { Frames } from './stack/frame.tsx'
import { SourceLinks } from './stack/frame-links.tsx'
import { Exceptions, Threads } from './stack/stack.tsx'
import { Tags, useIssueTags } from './tags.tsx'
import { Timeline } from './timeline/timeline-list.tsx'

// The panels of the issue itself, in page order.

/** Title and state of the issue, with buttons to change it. */
export const header: IssuePanel = {
  id: 'header',
  Component: IssueHeader,
}

/** Shows that the team cannot fix the issue. */
export const noise: IssuePanel = {
  id: 'noise',
  Component: ({ organization, detail, canTriage, canFilter, actions }) => (
    <NoiseBar
      organization={organization}
      detail={detail}
      canTriage={canTriage}
      canFilter={canFilter}
      changed={actions.changed}
      archive={() => actions.decide({ status: 'ignored', substatus: 'archived_forever' })}
    />
  ),
}

/** The issue's counts, and its events over time with releases. */
export const stats: IssuePanel<Answered<RestAnnotations>> = {
  id: 'stats',
  Component: ({ organization, detail, query, preloaded }) => (
    <IssueStats organization={organization} detail={detail} query={query} preloaded={preloaded} />
  ),
}

/** Links to the sections of the page, and to the neighbours of this event. */
export const sectionNav: IssuePanel = {
  id: 'section-nav',
  Component: SectionNav,
}

/** Shows that none of the issue's events is stored any more. */
export const evicted: IssuePanel = {
  id: 'evicted',
  Component: function EvictedPanel() {
    const t = useTranslations('issues.page')
    return <EmptyState title={t('evicted')}>{t('evictedTodo')}</EmptyState>
  },
}

/** Shows that the event was processed again after its source maps arrived. */
export const mappedAgain: EventPanel = {
  id: 'mapped-again',
  Component: function MappedAgainPanel({ event }) {
    const t = useTranslations('issues.page')
    return event.dateMapped ? (
      <p className="part-note">
        {t('mappedAgain')} <Time at={event.dateMapped} />
      </p>
    ) : null
  },
}

/** Environment, release, distribution and trace of the event on one line. */
export const eventDetails: EventPanel = {
  id: 'event-details',
  Component: ({ event, ...context }) => <EventDetails event={event} hrefs={context} />,
}

export const message: EventPanel = {
  id: 'message',
  Component: function MessagePanel({ event }) {
    const t = useTranslations('issues.page')
    const restEntry = entryOf(event, 'message')
    return restEntry ? (
      <Section id="message" title={t('message')}>
        <p className="exception-value">
          <PlainText text={restEntry.data.formatted} charactersMax={8000} />
          <MetadataNote path="logentry.formatted" />
        </p>
      </Section>
    ) : null
  },
}

export const exceptions: EventPanel = {
  id: 'exceptions',
  guard: ({ event }) => hasSection(event, 'exception'),
  Component: ({ event, detail, switches }) => (
    <SourceLinks event={event} project={detail.project.slug}>
      <Exceptions
        key={event.eventID}
        values={entryOf(event, 'exception')?.data.values ?? []}
        title={headOf(detail)}
        initialView={switches.showInternalFrames ? 'all' : 'app'}
        note={stackNoteOf(event.errors)}
      />
    </SourceLinks>
  ),
}

/** The stack trace of an event without an exception. */
export const stacktrace: EventPanel = {
  id: 'stacktrace',
  Component: function StacktracePanel({ event, detail }) {
    const t = useTranslations('issues.stack')
    const restEntry = entryOf(event, 'stacktrace')
    return restEntry ? (
      <Section id="stacktrace" title={t('trace')}>
        <SourceLinks event={event} project={detail.project.slug}>
          <Frames trace={restEntry.data} path="stacktrace" mode="app" />
        </SourceLinks>
      </Section>
    ) : null
  },
}

export const threads: EventPanel = {
  id: 'threads',
  Component: ({ event, detail }) => {
    const values = entryOf(event, 'threads')?.data.values
    return values?.length ? (
      <SourceLinks event={event} project={detail.project.slug}>
        <Threads key={event.eventID} threads={values} />
      </SourceLinks>
    ) : null
  },
}

/** A security report, such as a CSP violation. */
export const csp: EventPanel = {
  id: 'csp',
  Component: ({ event }) => {
    const restEntry = entryOf(event, 'csp')
    return restEntry ? <Csp report={restEntry.data} /> : null
  },
}

/** Breadcrumbs with the log lines and spans of the event's trace. */
export const breadcrumbs: EventPanel<RestTraceMoment> = {
  id: 'breadcrumbs',
  guard: ({ event }) => hasSection(event, 'breadcrumbs') || event.traceId !== null,
  Component: ({ event, organization, preloaded }) => (
    <Timeline key={event.eventID} event={event} organization={organization} preloaded={preloaded} />
  ),
}

export const request: EventPanel = {
  id: 'request',
  Component: ({ event }) => {
    const restEntry = entryOf(event, 'request')
    return restEntry ? <Request request={restEntry.data} /> : null
  },
}

export const user: EventPanel = {
  id: 'user',
  guard: ({ event }) => hasSection(event, 'user'),
  Component: ({ event }) => (event.user ? <User user={event.user} /> : null),
}

/** All tags: the distribution over the issue's events, and the values of this event. */
export const tags: IssuePanel<Answered<RestTag[]>> = {
  id: 'tags',
  Component: ({ organization, detail, event, query, preloaded, ...context }) => (
    <Tags
      event={event}
      hrefs={context}
      organization={organization}
      issueId={detail.id}
      query={query}
      preloaded={preloaded}
    />
  ),
}

export const contexts: EventPanel = {
  id: 'contexts',
  guard: ({ event }) => hasSection(event, 'contexts') || hasSection(event, 'extra'),
  Component: ({ event }) => <Contexts event={event} />,
}

export const attachments: EventPanel = {
  id: 'attachments',
  guard: ({ event }) => hasSection(event, 'attachments'),
  Component: ({ event, organization, detail }) => (
    <Attachments event={event} organization={organization} project={detail.project.slug} />
  ),
}

export const sdk: EventPanel = {
  id: 'sdk',
  guard: ({ event }) => hasSection(event, 'sdk') || hasSection(event, 'packages'),
  Component: ({ event }) => <SdkAndPackages event={event} />,
}

/** Values of the payload that were trimmed, scrubbed or repaired. */
export const metadataNotes: EventPanel = {
  id: 'metadata-notes',
  Component: NoteList,
}

/** Why the event is in this issue. */
export const grouping: EventPanel = {
  id: 'grouping',
  guard: ({ event }) => event.grouping.variants.length > 0,
  Component: ({ event, base, detail }) => <Grouping event={event} base={`${base}/${detail.id}`} />,
}

/** The event's JSON, loaded on demand. */
export const payload: EventPanel = {
  id: 'json',
  Component: ({ event, organization, detail }) => (
    <Payload
      key={event.eventID}
      organization={organization}
      issueId={detail.id}
      eventId={event.eventID}
      bytes={event.size}
    />
  ),
}

/** Names the sections that the SDK could have sent but did not. */
export const notSent: EventPanel = {
  id: 'not-sent',
  Component: function NotSentPanel({ event }) {
    const t = useTranslations('issues')
    const names = missingSections(event).map((name) => t(`section.${name}`))
    return names.length ? <p className="part-note">{t('page.notSent', { names: names.join(', ') })}</p> : null
  },
}

/** Tag values that this issue's events have more often than the project's other events. */
export const inCommon: IssuePanel<Answered<RestInCommon>> = {
  id: 'in-common',
  isLastWhenLate: true,
  Component: ({ organization, detail, query, preloaded, ...context }) => (
    <InCommon organization={organization} issueId={detail.id} query={query} hrefs={context} preloaded={preloaded} />
  ),
}

/** The users that have the error. */
export const affectedUsers: IssuePanel<Answered<RestTag[]>> = {
  id: 'affected-users',
  sharesDataOf: 'tags',
  Component: function AffectedUsersPanel({ organization, detail, query, preloaded, ...context }) {
    const found = useIssueTags({ organization, issueId: detail.id, query, preloaded })
    return found?.some((tag) => tag.key === 'user') ? (
      <AffectedUsers users={detail.userCount} tags={found} hrefs={context} />
    ) : null
  },
}
