import { aliasAt, type Cursor, listAt } from './cursor.ts'
import { functionOf } from './functions.ts'
import { stringLiteral } from './tokens.ts'

/** Reads expressions. Each method returns the SQL of what it read, written anew. */
export type Expressions = {
  expression(): string
  /** An expression with an alias: a column of the answer. */
  column(): string
  order(): string
}

const comparisons = ['=', '==', '!=', '<>', '<=', '>=', '<', '>']
const units = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year']

/** Reads operands with operators of one rank between them. */
function chain(cursor: Cursor, operators: readonly string[], operand: () => string): string {
  const parts = [operand()]
  for (;;) {
    const operator = operators.find((known) => cursor.is(known))
    if (operator === undefined) return parts.length === 1 ? (parts[0] ?? '') : `(${parts.join(' ')})`
    cursor.next()
    parts.push(operator.toUpperCase(), operand())
  }
}

/** A number, text, NULL or a tuple of them. IN takes no name: the engine would read it as a table. */
function literal(cursor: Cursor): string {
  if (cursor.take('(')) {
    const inner = cursor.nested(() => listAt(cursor, () => literal(cursor)))
    cursor.expect(')')
    return `(${inner})`
  }
  const minus = cursor.take('-') ? '-' : ''
  const { kind, text } = cursor.peek()
  if (kind === 'number') return minus + cursor.next().text
  if (kind === 'string' && minus === '') return stringLiteral(cursor.next().text)
  for (const word of ['null', 'true', 'false']) if (minus === '' && cursor.take(word)) return word.toUpperCase()
  throw cursor.refuse(`the list after IN takes numbers, texts or a subquery, not "${text.slice(0, 40)}".`)
}

const startsQuery = (cursor: Cursor): boolean => cursor.is('select') || cursor.is('with')

/** Reads `( … )` after IN. */
function setAt(cursor: Cursor, query: () => string): string {
  cursor.expect('(')
  const inner = startsQuery(cursor) ? query() : listAt(cursor, () => literal(cursor))
  cursor.expect(')')
  return `(${inner})`
}

/** Returns the parameters of a lambda if one begins here: `x ->` or `(x, y) ->`. */
function lambdaAt(cursor: Cursor): string | undefined {
  if (cursor.is('->', 1) && cursor.peek().kind === 'word') {
    const name = cursor.name('a name')
    cursor.next()
    return name
  }
  if (!cursor.is('(')) return undefined
  let ahead = 1
  while (cursor.peek(ahead).kind === 'word' && cursor.is(',', ahead + 1)) ahead += 2
  if (cursor.peek(ahead).kind !== 'word' || !cursor.is(')', ahead + 1) || !cursor.is('->', ahead + 2)) return undefined
  cursor.next()
  const names = listAt(cursor, () => cursor.name('a name'))
  cursor.expect(')')
  cursor.next()
  return `(${names})`
}

function argumentsAt(cursor: Cursor, expression: () => string): string {
  cursor.expect('(')
  if (cursor.take(')')) return '()'
  const distinct = cursor.take('distinct') ? 'DISTINCT ' : ''
  const inner = listAt(cursor, () => {
    if (cursor.take('*')) return '*'
    const parameters = lambdaAt(cursor)
    return parameters === undefined ? expression() : `${parameters} -> ${expression()}`
  })
  cursor.expect(')')
  return `(${distinct}${inner})`
}

/** Reads a call. Throws SQL_REFUSED for a function that is not in the list. */
function callAt(cursor: Cursor, { expression, order }: Pick<Expressions, 'expression' | 'order'>): string {
  const { text } = cursor.peek()
  const name = functionOf(text)
  if (name === undefined) throw cursor.refuse(`the function ${text.slice(0, 60)} is not available.`)
  cursor.next()
  const first = argumentsAt(cursor, expression)
  const call = cursor.is('(') ? `${name}${first}${argumentsAt(cursor, expression)}` : `${name}${first}`
  if (!cursor.take('over')) return call
  cursor.expect('(')
  const parts: string[] = []
  if (cursor.take('partition')) {
    cursor.expect('by')
    parts.push(`PARTITION BY ${listAt(cursor, expression)}`)
  }
  if (cursor.is('order')) parts.push(order())
  cursor.expect(')')
  return `${call} OVER (${parts.join(' ')})`
}

function caseAt(cursor: Cursor, expression: () => string): string {
  const parts = ['CASE']
  if (!cursor.is('when')) parts.push(expression())
  while (cursor.take('when')) {
    parts.push('WHEN', expression())
    cursor.expect('then')
    parts.push('THEN', expression())
  }
  if (cursor.take('else')) parts.push('ELSE', expression())
  cursor.expect('end')
  return `(${parts.join(' ')} END)`
}

function intervalAt(cursor: Cursor): string {
  const { kind, text } = cursor.next()
  const unit = units.find((known) => cursor.take(known) || cursor.take(`${known}s`))
  if (kind !== 'number' || !unit) throw cursor.refuse('write an interval as INTERVAL 5 MINUTE.')
  return `INTERVAL ${text} ${unit.toUpperCase()}`
}

/** Reads a column, or a column of a table: `level`, `errors.level`, `errors.*`. */
function columnAt(cursor: Cursor): string {
  const name = cursor.name('an expression')
  if (!cursor.take('.')) return name
  return `${name}.${cursor.take('*') ? '*' : cursor.name('the name of a column')}`
}

/** Reads a comparison, IN, LIKE, BETWEEN or IS NULL. `sum` reads its sides. */
function comparedAt(cursor: Cursor, sum: () => string, query: () => string): string {
  const left = sum()
  const operator = comparisons.find((known) => cursor.is(known))
  if (operator) {
    cursor.next()
    return `(${left} ${operator} ${sum()})`
  }
  if (cursor.take('is')) {
    const not = cursor.take('not') ? 'NOT ' : ''
    cursor.expect('null')
    return `(${left} IS ${not}NULL)`
  }
  const not = cursor.take('not') ? 'NOT ' : ''
  if (cursor.take('in')) return `(${left} ${not}IN ${setAt(cursor, query)})`
  for (const word of ['like', 'ilike']) if (cursor.take(word)) return `(${left} ${not}${word.toUpperCase()} ${sum()})`
  if (cursor.take('between')) {
    const from = sum()
    cursor.expect('and')
    return `(${left} ${not}BETWEEN ${from} AND ${sum()})`
  }
  if (not !== '') throw cursor.refuse('expected IN, LIKE or BETWEEN after NOT.')
  return left
}

/** Reads what stands in parentheses: a subquery, an expression or a tuple. */
function bracketedAt(cursor: Cursor, expression: () => string, query: () => string): string {
  const inner = startsQuery(cursor) ? query() : listAt(cursor, expression)
  cursor.expect(')')
  return `(${inner})`
}

/** Reads a value, a column or a call. */
function primaryAt(
  cursor: Cursor,
  { expression, order }: Pick<Expressions, 'expression' | 'order'>,
  query: () => string,
): string {
  const { kind } = cursor.peek()
  if (kind === 'number') return cursor.next().text
  if (kind === 'string') return stringLiteral(cursor.next().text)
  if (cursor.take('(')) return bracketedAt(cursor, expression, query)
  if (cursor.take('[')) {
    const inner = cursor.is(']') ? '' : listAt(cursor, expression)
    cursor.expect(']')
    return `[${inner}]`
  }
  for (const word of ['null', 'true', 'false']) if (cursor.take(word)) return word.toUpperCase()
  if (cursor.take('case')) return caseAt(cursor, expression)
  if (cursor.take('interval')) return intervalAt(cursor)
  return kind === 'word' && cursor.is('(', 1) ? callAt(cursor, { expression, order }) : columnAt(cursor)
}

function orderAt(cursor: Cursor, expression: () => string): string {
  cursor.expect('order')
  cursor.expect('by')
  return `ORDER BY ${listAt(cursor, () => {
    const inner = expression()
    const direction = cursor.take('desc') ? ' DESC' : cursor.take('asc') ? ' ASC' : ''
    if (!cursor.take('nulls')) return inner + direction
    if (cursor.take('first')) return `${inner}${direction} NULLS FIRST`
    cursor.expect('last')
    return `${inner}${direction} NULLS LAST`
  })}`
}

/** Reads the expressions of a statement. `query` reads a subquery. */
export function expressionsOf(cursor: Cursor, query: () => string): Expressions {
  const expression = (): string => cursor.nested(() => chain(cursor, ['or'], all))
  const all = () => chain(cursor, ['and'], negated)
  // In a loop, as a chain of thousands would otherwise be as many calls.
  const negated = (): string => {
    let isNot = false
    while (cursor.take('not')) isNot = !isNot
    const inner = comparedAt(cursor, sum, query)
    return isNot ? `(NOT ${inner})` : inner
  }
  const sum = () => chain(cursor, ['+', '-', '||'], product)
  const product = () => chain(cursor, ['*', '/', '%'], signed)
  const signed = (): string => (cursor.take('-') ? `(-${cursor.nested(signed)})` : subscripted())
  const order = () => orderAt(cursor, expression)
  function subscripted(): string {
    let inner = primaryAt(cursor, { expression, order }, query)
    while (cursor.take('[')) {
      inner = `${inner}[${expression()}]`
      cursor.expect(']')
    }
    return inner
  }
  return {
    expression,
    order,
    column: () => (cursor.take('*') ? '*' : `${expression()}${aliasAt(cursor)}`),
  }
}
