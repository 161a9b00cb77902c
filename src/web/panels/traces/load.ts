import { traceMeta } from '../../../query/traces/trace.ts'
import { normalizeId } from '../../../wire/ids.ts'
import { app } from '../../handle.ts'
import type { IssueLoader } from '../loader.ts'
import type { DataOf } from '../panel.ts'
import type { trace } from './panel.tsx'

/** The summary of the event's trace. */
export const loadTrace: IssueLoader<DataOf<typeof trace>> = {
  mayBeLate: true,
  async load({ row, readable }) {
    const deps = app()
    const found = await row
    const traceId = normalizeId(found?.traceId)
    const near = { keptDays: deps.config.retentionSpansDays, atS: found && found.timestampUs / 1e6 }
    return traceId ? await traceMeta(deps, readable, traceId, near) : undefined
  },
}
