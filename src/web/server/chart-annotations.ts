import type { RestAnnotations } from '../../contract/releases.ts'
import type { Range } from '../../query/range.ts'
import { releaseAnnotations } from '../../query/releases.ts'
import type { Organization, Project } from '../../store/meta/meta.ts'
import { type Answered, answered } from '../client/answered.ts'
import { app } from '../handle.ts'
import type { AnnotationsQuery } from '../ui/chart/annotations.ts'

/** The releases and deploys for the charts of a page, in the shape of the REST response to `query`. */
export async function loadAnnotations(
  view: { organization: Organization; projects: Project[]; environments: string[]; range: Range },
  query: AnnotationsQuery,
): Promise<Answered<RestAnnotations>> {
  const { range, ...where } = view
  return answered(query, await releaseAnnotations(app(), { ...where, fromMs: range.fromMs, toMs: range.toMs }))
}
