import type { ReactNode } from 'react'
import { Link } from '../../ui/link.tsx'

type Page = 'queries' | 'requests' | 'assets'

/** The page that lists spans of a category, or of an op such as `db` or `5+ × http.client`. Undefined: none does. */
export function statementPage(category: string): Page | undefined {
  const family = /(?:^|\s)(\w+)(?:\.[\w.]+)?$/.exec(category)?.[1]
  return family === 'db' ? 'queries' : family === 'http' ? 'requests' : family === 'resource' ? 'assets' : undefined
}

/** Characters of a statement in a search: the limit of the list. */
const textMax = 250

/**
 * The query string of the list of statements with one of them. It names the project of the route: other projects may run
 * the same text, and the row of the one with most time would be open.
 */
export function statementSearch(kept: string, project: string, statement: string): string {
  const search = new URLSearchParams(kept)
  search.set('project', project)
  search.set('q', statement.slice(0, textMax))
  return `?${search}`
}

/** A statement as a link to its row, which is open there: the routes that run it, and its slowest trace. */
export function StatementLink({
  base,
  kept,
  project,
  category,
  statement,
  children,
}: {
  /** `/o/ORG/performance` */
  base: string
  kept: string
  /** Slug of the route's project. */
  project: string
  category: string
  statement: string
  children: ReactNode
}) {
  const page = statementPage(category)
  // A span without a statement is shown under its op, and no list has it.
  if (!page || statement === category || statement === '') return children
  return <Link href={`${base}/${page}${statementSearch(kept, project, statement)}`}>{children}</Link>
}
