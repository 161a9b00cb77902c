import { inCommonOf } from '../../../query/issues/in-common.ts'
import { toRestTag } from '../../../query/issues/tags.ts'
import { traceMoment } from '../../../query/logs/moment.ts'
import { normalizeId } from '../../../wire/ids.ts'
import { answered } from '../../client/answered.ts'
import { app } from '../../handle.ts'
import { loadAnnotations } from '../../server/chart-annotations.ts'
import { annotationsQuery } from '../../ui/chart/annotations.ts'
import type { IssueLoader } from '../loader.ts'
import type { DataOf } from '../panel.ts'
import type { breadcrumbs, inCommon, stats, tags } from './panel.tsx'

/** Maximum values per tag, as in the REST call. */
export const tagValuesMax = 10

/** Releases and deploys for the chart. */
export const loadStats: IssueLoader<DataOf<typeof stats>> = {
  mayBeLate: false,
  async load({ here: { organization, project }, environments, range, query }) {
    const view = { organization, projects: [project], environments, range }
    return loadAnnotations(view, annotationsQuery({ ...query, project: [String(project.id)] }))
  },
}

/** The distribution of the tags. */
export const loadTags: IssueLoader<DataOf<typeof tags>> = {
  mayBeLate: false,
  async load({ counted, query }) {
    const found = await counted
    return answered(
      query,
      found.tags.map((tag) => toRestTag(tag, tagValuesMax)),
    )
  },
}

/** Tag values that the issue's events have in common. */
export const loadInCommon: IssueLoader<DataOf<typeof inCommon>> = {
  mayBeLate: true,
  async load({ here: { issue, project }, environments, range: { fromMs, toMs }, query }) {
    return answered(query, await inCommonOf(app(), issue, { projectIds: [project.id], environments, fromMs, toMs }))
  },
}

/** Log lines and spans of the event's trace, for its timeline. */
export const loadTimeline: IssueLoader<DataOf<typeof breadcrumbs>> = {
  mayBeLate: true,
  async load({ row, readable }) {
    const found = await row
    const traceId = normalizeId(found?.traceId)
    return found && traceId
      ? await traceMoment(app(), readable, traceId, Math.floor(found.timestampUs / 1000))
      : undefined
  },
}
