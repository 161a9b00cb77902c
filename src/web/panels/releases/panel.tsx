'use client'
import type { RestCommitters } from '../../../contract/commits.ts'
import type { EventPanel } from '../panel.ts'
import { Suspects } from './suspects.tsx'

/** Commits that may have caused the issue. */
export const suspects: EventPanel<RestCommitters> = {
  id: 'suspects',
  Component: ({ organization, preloaded }) =>
    preloaded ? <Suspects organization={organization} found={preloaded} /> : null,
}
