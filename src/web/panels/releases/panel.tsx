'use client'
import type { RestCommitters } from '../../../contract/commits.ts'
import type { EventPanel } from '../panel.ts'
import { Suspects } from './suspects.tsx'

/** Commits that may have caused the issue. */
export const suspects: EventPanel<RestCommitters> = {
  id: 'suspects',
  // A detector made the event of a performance issue: there is no stack to suspect a commit by.
  guard: ({ event }) => event.occurrence === null,
  Component: ({ organization, preloaded }) =>
    preloaded ? <Suspects organization={organization} found={preloaded} /> : null,
}
