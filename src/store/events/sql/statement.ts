import { aliasAt, type Cursor, cursorOf, listAt } from './cursor.ts'
import { type Expressions, expressionsOf } from './expressions.ts'
import { type SqlProject, viewSql, views } from './views.ts'

/** Prefix of names that WITH defines. No stored table begins like this, so such a name is never looked up as a table. */
const withPrefix = '__with_'

type Grammar = Expressions & { cursor: Cursor; query(): string; viewOf(name: string): string | undefined }

const inner = (quoted: string): string => quoted.slice(1, -1)

/** Reads a table: a view, a name of WITH, or a subquery. */
function sourceAt({ cursor, query, viewOf }: Grammar): string {
  if (cursor.take('(')) {
    const subquery = query()
    cursor.expect(')')
    return `(${subquery})${aliasAt(cursor)}`
  }
  const { at } = cursor.peek()
  const name = cursor.name('the name of a view')
  if (cursor.is('.') || cursor.is('('))
    throw cursor.refuse(`only views can be read, by their name: ${Object.keys(views).join(', ')}.`)
  const isDefined = cursor.scopes.some((scope) => scope.has(inner(name)))
  const rows = isDefined ? `\`${withPrefix}${inner(name)}\`` : viewOf(inner(name))
  if (rows === undefined)
    throw cursor.refuse(
      `there is no view ${inner(name)} (position ${at + 1}). Views: ${Object.keys(views).join(', ')}.`,
    )
  return rows + (aliasAt(cursor) || ` AS ${name}`)
}

const joins = ['inner', 'left', 'right', 'full', 'cross']

/** Reads the joins after a table. */
function joinsAt(grammar: Grammar): string {
  const { cursor } = grammar
  let sql = ''
  for (;;) {
    const kind = joins.find((known) => cursor.is(known))
    if (kind === undefined && !cursor.is('join')) return sql
    if (kind !== undefined) {
      cursor.next()
      cursor.take('outer')
    }
    const any = cursor.take('any') ? 'ANY ' : ''
    cursor.expect('join')
    sql += ` ${(kind ?? 'inner').toUpperCase()} ${any}JOIN ${sourceAt(grammar)}`
    if (kind === 'cross') continue
    if (cursor.take('using')) {
      cursor.expect('(')
      sql += ` USING (${listAt(cursor, () => cursor.name('the name of a column'))})`
      cursor.expect(')')
    } else {
      cursor.expect('on')
      sql += ` ON ${grammar.expression()}`
    }
  }
}

function countAt(cursor: Cursor): string {
  const { kind, text } = cursor.peek()
  if (kind !== 'number' || !/^\d{1,9}$/.test(text)) throw cursor.refuse('expected a whole number.')
  return cursor.next().text
}

/** Reads LIMIT with OFFSET or BY. */
function limitAt({ cursor, expression }: Grammar): string {
  const first = countAt(cursor)
  if (cursor.take(',')) return ` LIMIT ${first}, ${countAt(cursor)}`
  if (cursor.take('by')) return ` LIMIT ${first} BY ${listAt(cursor, expression)}`
  return cursor.take('offset') ? ` LIMIT ${first} OFFSET ${countAt(cursor)}` : ` LIMIT ${first}`
}

function selectAt(grammar: Grammar): string {
  const { cursor, expression } = grammar
  cursor.expect('select')
  const distinct = cursor.take('distinct') ? 'DISTINCT ' : ''
  let sql = `SELECT ${distinct}${listAt(cursor, grammar.column)}`
  if (cursor.take('from')) sql += ` FROM ${sourceAt(grammar)}${joinsAt(grammar)}`
  if (cursor.take('where')) sql += ` WHERE ${expression()}`
  if (cursor.take('group')) {
    cursor.expect('by')
    sql += ` GROUP BY ${cursor.take('all') ? 'ALL' : listAt(cursor, expression)}`
  }
  if (cursor.take('having')) sql += ` HAVING ${expression()}`
  if (cursor.is('order')) sql += ` ${grammar.order()}`
  // `LIMIT 1 BY level LIMIT 10` has two.
  for (let count = 0; count < 2 && cursor.take('limit'); count++) sql += limitAt(grammar)
  return sql
}

/** Reads the names of WITH. They hold to the end of the query that they begin. */
function withAt({ cursor, query }: Grammar, scope: Set<string>): string {
  if (!cursor.take('with')) return ''
  return `WITH ${listAt(cursor, () => {
    const name = inner(cursor.name('a name'))
    cursor.expect('as')
    cursor.expect('(')
    const subquery = query()
    cursor.expect(')')
    scope.add(name)
    return `\`${withPrefix}${name}\` AS (${subquery})`
  })} `
}

const unions = { union: ['all', 'distinct'], intersect: [], except: [] } as const

function unionAt(cursor: Cursor): string | undefined {
  for (const [word, kinds] of Object.entries(unions)) {
    if (!cursor.take(word)) continue
    const kind = kinds.find((known) => cursor.take(known))
    if (kind === undefined && kinds.length > 0) throw cursor.refuse('write UNION ALL or UNION DISTINCT.')
    return kind === undefined ? word.toUpperCase() : `${word.toUpperCase()} ${kind.toUpperCase()}`
  }
  return undefined
}

function queryAt(grammar: Grammar): string {
  const { cursor } = grammar
  const scope = new Set<string>()
  cursor.scopes.push(scope)
  try {
    let sql = withAt(grammar, scope) + selectAt(grammar)
    for (let union = unionAt(cursor); union !== undefined; union = unionAt(cursor))
      sql += ` ${union} ${selectAt(grammar)}`
    return sql
  } finally {
    cursor.scopes.pop()
  }
}

/**
 * Reads a statement of a person and writes it anew, over the rows of these projects. The text itself never reaches the
 * engine: what the grammar does not know is refused, so a statement names no table, function, setting or format that is
 * not listed here. Throws SQL_REFUSED with the position.
 */
export function statementOf(sql: string, database: string, projects: readonly SqlProject[]): string {
  const cursor = cursorOf(sql)
  const query = (): string => cursor.nested(() => queryAt(grammar))
  const grammar: Grammar = {
    ...expressionsOf(cursor, query),
    cursor,
    query,
    viewOf: (name) => {
      const view = Object.hasOwn(views, name) ? views[name] : undefined
      return view && viewSql(database, view, projects)
    },
  }
  const written = query()
  if (cursor.peek().kind !== 'end') throw cursor.refuse(`"${cursor.peek().text.slice(0, 40)}" cannot stand here.`)
  return written
}
