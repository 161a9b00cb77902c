import { rangeOf } from '../../../query/range.ts'
import type { Project } from '../../../store/meta/meta.ts'
import { app } from '../../handle.ts'
import { environmentsPeriod } from './list-params.ts'

const environmentsMax = 1000

/** Environments that events of these projects named in the last 90 days, without those that people hid. Throws STORE_UNAVAILABLE. */
export async function environmentsOf(projects: readonly Project[]): Promise<string[]> {
  const { clock, events, meta } = app()
  const { fromMs, toMs } = rangeOf({ statsPeriod: environmentsPeriod }, clock.now())
  const projectIds = projects.map((project) => project.id)
  const values = await events.tagValues({ projectIds, environments: [], fromMs, toMs }, 'environment', environmentsMax)
  const hidden = meta.hiddenEnvironments(projectIds)
  return values.map((item) => item.value).filter((item) => item !== '' && !hidden.has(item))
}
