/** Words whose following name is made up by a client: `SAVEPOINT "s1_x2"`. */
const naming: ReadonlySet<string> = new Set(['savepoint', 'prepare', 'deallocate', 'execute', 'cursor', 'fetch'])
/** Operators and lists before which a sign belongs to the number that follows. */
const beforeSign: ReadonlySet<string> = new Set([
  '',
  '(',
  ',',
  '=',
  '<',
  '>',
  '<=',
  '>=',
  '<>',
  '!=',
  '+',
  '-',
  '*',
  '/',
  '%',
])

const space = /\s/
const wordStart = /[A-Za-z_\u0080-\uffff]/
const wordRun = /[\w$\u0080-\uffff]*/y
const numberRun = /[\w.]*(?:(?<=[eE])[+-]\d*)?/y
/** SDK 11 replaces the number of a placeholder and the rest of its list: `IN ($1, $2)` arrives as `IN ($?)`. */
const parameter = /\$(?:\d+|\?)|:[A-Za-z_]\w{0,63}|%s|%\(\w{1,64}\)s|@[A-Za-z_]\w{0,63}|\?\d{0,5}/y
const dollarTag = /\$(?:[A-Za-z_]\w{0,63})?\$/y
const operator = /::|<=>|[<>=!|&~^*+/%#-]{1,3}/y

const runAt = (pattern: RegExp, text: string, at: number): string => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}

/** The end of a quoted text that begins at `at`, after its closing quote. A doubled quote, or an escaped quote, is content. */
function quoteEnd(text: string, at: number, escapes: boolean): number {
  const quote = text[at]
  for (let end = at + 1; end < text.length; end++) {
    if (escapes && text[end] === '\\') end++
    else if (text[end] === quote) {
      if (text[end + 1] !== quote) return end + 1
      end++
    }
  }
  return text.length
}

const endOf = (text: string, mark: string, from: number): number => {
  const at = text.indexOf(mark, from)
  return at < 0 ? text.length : at + mark.length
}

/** Tokens of a statement so far. Lists of values are collapsed as they come. */
class Tokens {
  readonly list: string[] = []
  get last(): string {
    return this.list.at(-1) ?? ''
  }
  /** Adds a value. A list of values is one value. */
  value(): void {
    if (this.last === ',' && this.list.at(-2) === '?') this.list.pop()
    else this.list.push('?')
  }
  add(token: string): void {
    this.list.push(token)
    // The rows of an insert: `(?), (?)` is `(?)`.
    if (token === ')' && this.list.slice(-7).join('') === '(?),(?)') this.list.length -= 4
  }
}

type Dialect = { doubleQuotesAreTexts: boolean; backslashEscapes: boolean }

/** Skips a comment; returns `at` if there is none. */
function afterComment(sql: string, at: number, dialect: Dialect): number {
  if (sql.startsWith('--', at) || (dialect.backslashEscapes && sql[at] === '#')) return endOf(sql, '\n', at)
  return sql.startsWith('/*', at) ? endOf(sql, '*/', at + 2) : at
}

/** Reads a quoted text or name at `at`; returns its end, or `at` if there is none. */
function readQuoted(sql: string, at: number, out: Tokens, dialect: Dialect): number {
  const sign = sql[at]
  if (sign === '$') {
    const tag = runAt(dollarTag, sql, at)
    if (tag === '') return at
    out.value()
    return endOf(sql, tag, at + tag.length)
  }
  if (sign !== "'" && sign !== '"' && sign !== '`') return at
  const isText = sign === "'" || (sign === '"' && dialect.doubleQuotesAreTexts)
  const hasPrefix = isText && /^[nebx]$/i.test(out.last) && sql[at - 1] === out.last
  const end = quoteEnd(sql, at, isText && (dialect.backslashEscapes || (hasPrefix && /e/i.test(out.last))))
  if (hasPrefix) out.list.pop()
  if (isText || naming.has(out.last.toLowerCase())) out.value()
  else out.add(sql.slice(at, end))
  return end
}

/** Reads a number or a placeholder at `at`; returns its end, or `at` if there is none. */
function readValue(sql: string, at: number, out: Tokens): number {
  const sign = sql[at] ?? ''
  const isSigned = (sign === '-' || sign === '+') && beforeSign.has(out.last)
  const start = isSigned ? at + 1 : at
  const digit = sql[start] === '.' ? sql[start + 1] : sql[start]
  if (digit !== undefined && digit >= '0' && digit <= '9') {
    out.value()
    return start + 1 + runAt(numberRun, sql, start + 1).length
  }
  const found = sql.startsWith('::', at) || sql.startsWith('@@', at) ? '' : runAt(parameter, sql, at)
  if (found !== '') out.value()
  return at + found.length
}

/** Reads a word, an operator or a single sign at `at`; returns its end. */
function readOther(sql: string, at: number, out: Tokens): number {
  const sign = sql[at] ?? ''
  if (wordStart.test(sign)) {
    const word = sign + runAt(wordRun, sql, at + 1)
    if (naming.has(out.last.toLowerCase()) && !naming.has(word.toLowerCase()) && /\d/.test(word)) out.value()
    else out.add(word.replace(/\d{6,}/g, '?'))
    return at + word.length
  }
  const found = runAt(operator, sql, at) || sign
  // A sign of the following number, or a comment, is no part of the operator.
  const cut = found.length > 1 ? found.search(/(?<=.)(?:-|\+|\/\*)/) : -1
  const token = cut > 0 ? found.slice(0, cut) : found
  out.add(token)
  return at + token.length
}

const tight: ReadonlySet<string> = new Set([',', ')', ';', '.', '::', ']', '[', '('])
const open: ReadonlySet<string> = new Set(['(', '.', '::', '['])

/** Words before whose parenthesis a space stays: `IN (?)`, but `count(*)`. */
const spaced =
  /^(?:in|values|and|or|not|where|from|join|on|as|select|exists|by|with|using|over|any|all|into|then|when|else|union|set|returning|=|<|>|,)$/i

function joined(tokens: readonly string[]): string {
  let out = ''
  let last = ''
  let beforeLast = ''
  for (const token of tokens) {
    const isTight =
      out === '' ||
      open.has(last) ||
      (tight.has(token) && !(token === '(' && (spaced.test(last) || /^into$/i.test(beforeLast))))
    out += isTight ? token : ` ${token}`
    beforeLast = last
    last = token
  }
  return out
}

/**
 * A statement without its values: texts, numbers and placeholders become `?`, lists of them one `?`, comments go, and
 * white space is uniform. Takes linear time. `system` is the database: MySQL quotes texts with `"` too.
 */
export function parameterizedSql(sql: string, system: string): string {
  const isMySql = /mysql|mariadb|clickhouse|bigquery|spark|hive/.test(system)
  const dialect: Dialect = {
    doubleQuotesAreTexts: /mysql|mariadb|bigquery|spark|hive/.test(system),
    backslashEscapes: isMySql,
  }
  const out = new Tokens()
  for (let at = 0; at < sql.length; ) {
    if (space.test(sql[at] ?? '')) {
      at++
      continue
    }
    const skipped = afterComment(sql, at, dialect)
    const quoted = skipped > at ? skipped : readQuoted(sql, at, out, dialect)
    const value = quoted > at ? quoted : readValue(sql, at, out)
    at = value > at ? value : readOther(sql, at, out)
  }
  while (out.last === ';') out.list.pop()
  return joined(out.list)
}
