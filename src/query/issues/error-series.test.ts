import { expect, test } from 'vitest'
import type { Issue } from '../../store/meta/meta.ts'
import { errorSeries } from './error-series.ts'

const scope = { projectIds: [1, 2], environments: [], fromMs: 0, toMs: 200 }
const row = (projectId: number, startMs: number, events: number) => ({ projectId, startMs, events })

const series = (issues: Partial<Issue>[]) =>
  errorSeries(
    {
      meta: {
        issues: {
          listIssues: async () => issues as Issue[],
          hashesOf: async (ids) => new Map(ids.map((id) => [id, [`h${id}`]])),
        },
      },
      events: {
        projectSeries: async () => [row(1, 0, 5), row(2, 0, 3), row(1, 100, 2)],
        series: async (_scope, _bucket, pairs) =>
          pairs.flatMap(({ projectId, groupHash }) => [
            { ...row(projectId, 0, 1), groupHash },
            { ...row(projectId, 100, 2), groupHash },
          ]),
      },
    },
    scope,
    100,
  )

test('events of performance issues are no errors', async () => {
  expect(await series([])).toEqual([row(1, 0, 5), row(2, 0, 3), row(1, 100, 2)])
  expect(await series([{ id: 8, projectId: 1 }])).toEqual([row(1, 0, 4), row(2, 0, 3)])
  expect(
    await series([
      { id: 8, projectId: 1 },
      { id: 9, projectId: 1 },
    ]),
  ).toEqual([row(1, 0, 3), row(2, 0, 3)])
})
