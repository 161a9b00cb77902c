import { readableProjects } from '../../auth/allowed-projects.ts'
import { restSqlAnswer, restSqlViews, sqlBody } from '../../contract/explore/sql.ts'
import { organizationOf, type Route, route } from '../route.ts'

const path = '/organizations/:org/explore/sql'

/** SQL of owners, which only reads. */
export const sqlRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path,
    operationId: 'sqlViews',
    summary: 'The views that SQL statements of owners can read, with their columns.',
    action: 'query:sql',
    response: restSqlViews,
    handle: ({ app }) => ({ body: app.events.sqlViews() }),
  }),
  route({
    method: 'POST',
    path,
    operationId: 'runSql',
    summary:
      'Runs one SELECT over views that hold only the rows of the caller’s projects. Owners only. At most 20 s, 384 MiB of memory, 10,000 rows.',
    action: 'query:sql',
    body: sqlBody,
    response: restSqlAnswer,
    handle: async ({ app, actor, found, body, request }) => {
      const projects = await readableProjects(app, actor, organizationOf(found))
      const { columns, rows, ...meta } = await app.events.runSql({
        sql: body.sql,
        projects: projects.map(({ id, slug }) => ({ id, slug })),
        signal: request.signal,
      })
      return { body: { columns, rows, meta } }
    },
  }),
]
