import { rangeOf } from '../../../query/range.ts'
import type { Project } from '../../../store/meta/meta.ts'
import { app } from '../../handle.ts'
import { environmentsPeriod } from './list-params.ts'

const environmentsMax = 1000

/** Environments with events in the last 90 days, without hidden ones. Throws STORE_UNAVAILABLE. */
export async function environmentsOf(projects: readonly Project[]): Promise<string[]> {
  const { clock, events, meta } = app()
  const { fromMs, toMs } = rangeOf({ statsPeriod: environmentsPeriod }, clock.now())
  const projectIds = projects.map((project) => project.id)
  const values = await events.tagValues({ projectIds, environments: [], fromMs, toMs }, 'environment', environmentsMax)
  const hidden = await meta.projects.hiddenEnvironments(projectIds)
  return values.map((tagValue) => tagValue.value).filter((tagValue) => tagValue !== '' && !hidden.has(tagValue))
}
