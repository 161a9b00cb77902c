import type { Range } from '../../query/range.ts'
import { releaseMarks } from '../../query/releases.ts'
import type { Organization, Project } from '../../store/meta/meta.ts'
import { app } from '../handle.ts'
import type { GivenMarks, MarksQuery } from '../ui/chart/annotations.ts'

/** What the charts of a page mark, as the REST call for `query` answers it. */
export function givenMarks(
  view: { organization: Organization; projects: Project[]; environments: string[]; range: Range },
  query: MarksQuery,
): GivenMarks {
  const { range, ...where } = view
  return {
    key: JSON.stringify(query),
    marks: releaseMarks(app(), { ...where, fromMs: range.fromMs, toMs: range.toMs }),
  }
}
