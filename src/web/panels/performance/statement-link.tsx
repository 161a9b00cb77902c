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

/** A statement as a link to its row, which is open there: the routes that run it, and its slowest trace. */
export function StatementLink({
  base,
  kept,
  category,
  statement,
  children,
}: {
  /** `/o/ORG/performance` */
  base: string
  kept: string
  category: string
  statement: string
  children: ReactNode
}) {
  const page = statementPage(category)
  // A span without a statement is shown under its op, and no list has it.
  if (!page || statement === category || statement === '') return children
  const search = new URLSearchParams(kept)
  search.set('q', statement.slice(0, textMax))
  return <Link href={`${base}/${page}?${search}`}>{children}</Link>
}
