'use client'
import type { EventPanel, IssuePanel } from '../panel.ts'
import { BrowserEvents } from './browser-events.tsx'
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
