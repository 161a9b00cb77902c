'use client'
import type { EventPanel, IssuePanel } from '../panel.ts'
import { BrowserEvents } from './browser-events.tsx'
import { DigestLine } from './digest-line.tsx'
import { DigestList } from './digest-list.tsx'
import { HiddenError } from './hidden-error.tsx'
import { useErrorLink } from './use-error-link.ts'

/** The server error that a browser event hides. */
export const hiddenError: EventPanel = {
  id: 'hidden-error',
  guard: ({ event }) => event.failure !== null,
  Component: function HiddenErrorPanel({ event, organization, detail }) {
    const failure = useErrorLink(organization, detail.id, event)
    return failure ? (
      <HiddenError
        organization={organization}
        project={detail.project.slug}
        failure={failure}
        isSureDigest={event.digests.some((digest) => digest.sure)}
      />
    ) : null
  },
}

/** Both ends of the error and its digest, on one line. */
export const digestLine: EventPanel = {
  id: 'digest-line',
  guard: ({ event }) => event.digest !== null || event.failure !== null,
  Component: function DigestLinePanel({ event, organization, base, detail }) {
    const link = useErrorLink(organization, detail.id, event)
    return <DigestLine event={event} base={base} link={link} clientEnds={detail.browserSide} />
  },
}

/** The browser events that the issue's server errors caused, and those of the shown event. */
export const browserEvents: EventPanel = {
  id: 'browser-side',
  Component: function BrowserEventsPanel({ event, organization, base, detail }) {
    const failure = useErrorLink(organization, detail.id, event)
    return <BrowserEvents base={base} clientEnds={detail.browserSide} ofEvent={failure?.browser ?? null} />
  },
}

/** The browser events of an issue without stored events. */
export const browserEventsOfIssue: IssuePanel = {
  id: 'browser-side',
  Component: ({ base, detail }) => <BrowserEvents base={base} clientEnds={detail.browserSide} ofEvent={null} />,
}

/** Every digest of the event. */
export const digests: EventPanel = {
  id: 'digests',
  Component: ({ event }) => <DigestList digests={event.digests} />,
}
