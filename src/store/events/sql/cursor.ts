import { refuseSql, type Token, tokensOf } from './tokens.ts'

/** A place in a statement. All methods refuse the statement with the position of the next token when it does not fit. */
export type Cursor = {
  /** Returns the token `ahead` of the next token. */
  peek(ahead?: number): Token
  /** Whether the next token is this keyword, in any case, or this symbol. */
  is(text: string, ahead?: number): boolean
  /** Steps over the next token if `is`. */
  take(text: string): boolean
  expect(text: string): void
  next(): Token
  /** Steps over a name of a column, table or alias, and returns it quoted. */
  name(what: string): string
  refuse(sentence: string): Error
  /** Runs a part of the grammar that may contain itself. */
  nested<T>(run: () => T): T
  /** Names that WITH defined, by scope, innermost last. */
  scopes: Set<string>[]
}

/** The engine's own limit is 1,000; each level here is several there. */
const depthMax = 60

/** Words that cannot be an alias without AS. */
const reserved = new Set(
  `select distinct from where group by having order limit offset union intersect except join left right full inner outer
  cross any all asof semi anti on using as and or not in like ilike between is then else end when case asc desc nulls with
  settings format into outfile infile window qualify prewhere sample final array global over partition null true false
  interval exists insert create drop alter set use system attach detach rename truncate kill grant explain show`.split(
    /\s+/,
  ),
)

// Letters of other languages are fine. Quotes, backslashes and control characters are not, so that a quoted name has
// one reading. Two underscores begin names of this program.
const nameForm = /^(?!__)[^`\\\p{Cc}]{1,200}$/u

/** Returns a name in quotes. Throws SQL_REFUSED for names that could have two readings. */
function quotedName(token: Token): string {
  if (!nameForm.test(token.text)) throw refuseSql(token.at, 'this name is not allowed.')
  return `\`${token.text}\``
}

export function cursorOf(sql: string): Cursor {
  const tokens = tokensOf(sql)
  const last = tokens[tokens.length - 1] ?? { kind: 'end', text: '', at: 0 }
  let at = 0
  let depth = 0
  const peek = (ahead = 0): Token => tokens[at + ahead] ?? last
  const shown = (): string => (peek().kind === 'end' ? 'the end' : `"${peek().text.slice(0, 40)}"`)
  const cursor: Cursor = {
    scopes: [],
    peek,
    is: (text, ahead = 0) => {
      const token = peek(ahead)
      return token.kind === 'symbol' ? token.text === text : token.kind === 'word' && token.text.toLowerCase() === text
    },
    take: (text) => {
      if (!cursor.is(text)) return false
      at++
      return true
    },
    expect: (text) => {
      if (!cursor.take(text)) throw cursor.refuse(`expected ${text.toUpperCase()}, found ${shown()}.`)
    },
    next: () => {
      const token = peek()
      if (at < tokens.length - 1) at++
      return token
    },
    name: (what) => {
      const token = peek()
      if (token.kind !== 'name' && (token.kind !== 'word' || reserved.has(token.text.toLowerCase())))
        throw cursor.refuse(`expected ${what}, found ${shown()}.`)
      at++
      return quotedName(token)
    },
    refuse: (sentence) => refuseSql(peek().at, sentence),
    nested: (run) => {
      if (++depth > depthMax) throw cursor.refuse('the statement is nested too deeply.')
      try {
        return run()
      } finally {
        depth--
      }
    },
  }
  return cursor
}

/** Reads `AS name`, or a name alone where no keyword follows. Returns its SQL, or ''. */
export function aliasAt(cursor: Cursor): string {
  if (cursor.take('as')) return ` AS ${cursor.name('a name')}`
  const { kind, text } = cursor.peek()
  const isName = kind === 'name' || (kind === 'word' && !reserved.has(text.toLowerCase()))
  return isName ? ` AS ${cursor.name('a name')}` : ''
}

/** Reads parts with commas between. */
export function listAt(cursor: Cursor, part: () => string): string {
  const parts = [part()]
  while (cursor.take(',')) parts.push(part())
  return parts.join(', ')
}
