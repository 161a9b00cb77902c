import { committersOf } from '../../../query/issues/suspects.ts'
import { app } from '../../handle.ts'
import type { IssueLoader } from '../loader.ts'
import type { DataOf } from '../panel.ts'
import type { suspects } from './panel.tsx'

/** Commits that changed the files of the event's stack. */
export const loadSuspects: IssueLoader<DataOf<typeof suspects>> = {
  mayBeLate: false,
  async load({ here, event }) {
    const shown = await event
    return shown && (await committersOf(app(), { ...here, event: shown }))
  },
}
