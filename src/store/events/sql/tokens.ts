import { MishapError } from '../../../base/errors.ts'

export type Token = {
  kind: 'word' | 'name' | 'string' | 'number' | 'symbol' | 'end'
  /** A quoted name or a string without its quotes; escapes are resolved. */
  text: string
  /** Where it begins, from 0. */
  at: number
}

/** A statement of a person is short; the limit bounds the work of its reader. */
const sqlCharactersMax = 20_000

/** Returns the error of a statement that may not run, with the place of the fault. */
export const refuseSql = (at: number, sentence: string): MishapError =>
  new MishapError('SQL_REFUSED', {
    detail: `At position ${at + 1}: ${sentence}`,
    causes: [`position ${at + 1}`, sentence],
  })

const symbols = ['::', '||', '<=', '>=', '<>', '!=', '==', '->', ...'()[],.+-*/%<>=']
const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' }
const wordForm = /[A-Za-z_][A-Za-z0-9_]*/y
const numberForm = /(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?(?![A-Za-z0-9_.])/y
const spaceForm = /(?:[ \t\r\n]+|--[^\n]*|\/\*(?:[^*]|\*(?!\/))*\*\/)+/y

const matchAt = (form: RegExp, sql: string, at: number): string | undefined => {
  form.lastIndex = at
  return form.exec(sql)?.[0]
}

/** Reads the quoted piece at `at`. Like ClickHouse, a backslash before an unknown letter stays. */
function quotedAt(sql: string, at: number): { text: string; end: number } {
  const quote = sql[at]
  let text = ''
  for (let i = at + 1; i < sql.length; i++) {
    const letter = sql[i] ?? ''
    if (letter === quote) {
      if (sql[i + 1] !== quote) return { text, end: i + 1 }
      text += letter
      i++
    } else if (letter === '\\') {
      const next = sql[i + 1] ?? ''
      if (next === '\\' || next === quote) text += next
      else text += escapes[next] ?? `\\${next}`
      i++
    } else text += letter
  }
  throw refuseSql(at, 'the quotation mark is not closed.')
}

function tokenAt(sql: string, at: number): { token: Token; end: number } {
  const letter = sql[at] ?? ''
  if (letter === "'") {
    const { text, end } = quotedAt(sql, at)
    return { token: { kind: 'string', text, at }, end }
  }
  if (letter === '"' || letter === '`') {
    const { text, end } = quotedAt(sql, at)
    return { token: { kind: 'name', text, at }, end }
  }
  const word = matchAt(wordForm, sql, at)
  if (word !== undefined) return { token: { kind: 'word', text: word, at }, end: at + word.length }
  const number = matchAt(numberForm, sql, at)
  if (number !== undefined) return { token: { kind: 'number', text: number, at }, end: at + number.length }
  const symbol = symbols.find((known) => sql.startsWith(known, at))
  if (symbol !== undefined) return { token: { kind: 'symbol', text: symbol, at }, end: at + symbol.length }
  throw refuseSql(at, 'this character is not part of a statement here.')
}

/**
 * Splits a statement into tokens, without white space and comments. Throws SQL_REFUSED for everything else that
 * ClickHouse's own reader knows: parameters in braces, heredocs, several statements.
 */
export function tokensOf(sql: string): Token[] {
  if (sql.length > sqlCharactersMax) throw refuseSql(sqlCharactersMax, `at most ${sqlCharactersMax} characters.`)
  // The engine takes a statement as a text that ends with a zero byte.
  const zero = sql.indexOf('\0')
  if (zero >= 0) throw refuseSql(zero, 'this character is not part of a statement here.')
  const text = sql.replace(/[\s;]+$/, '')
  const tokens: Token[] = []
  for (let at = 0; at < text.length; ) {
    const space = matchAt(spaceForm, text, at)
    if (space !== undefined) at += space.length
    else {
      const { token, end } = tokenAt(text, at)
      tokens.push(token)
      at = end
    }
  }
  return [...tokens, { kind: 'end', text: '', at: text.length }]
}

/** Quotes a text as a literal of ClickHouse's SQL. */
export const stringLiteral = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`
