/** Where a quoted piece that opens at `at` ends (behind its closing quote); the text's end when it never closes. */
function skipQuoted(sql: string, at: number): number {
  const quote = sql[at]
  for (let i = at + 1; i < sql.length; i++) {
    if (sql[i] === '\\') i++
    else if (sql[i] === quote) {
      if (sql[i + 1] !== quote) return i + 1
      i++
    }
  }
  return sql.length
}

function skipTo(sql: string, end: string, from: number): number {
  const at = sql.indexOf(end, from)
  return at < 0 ? sql.length : at + end.length
}

/** Where the piece at `at` ends: a quoted text, a comment, a heredoc or one character; `space` when it says nothing. */
function skipPiece(sql: string, at: number): { end: number; space: boolean } {
  const item = sql[at] ?? ''
  if (item === "'" || item === '"' || item === '`') return { end: skipQuoted(sql, at), space: false }
  if (sql.startsWith('--', at) || item === '#') return { end: skipTo(sql, '\n', at), space: true }
  if (sql.startsWith('/*', at)) return { end: skipTo(sql, '*/', at + 2), space: true }
  const heredoc = item === '$' ? /^\$\w*\$/.exec(sql.slice(at, at + 64))?.[0] : undefined
  if (heredoc) return { end: skipTo(sql, heredoc, at + heredoc.length), space: false }
  return { end: at + 1, space: item <= ' ' }
}

/**
 * Whether a text holds more than one statement. chDB runs them all where a ClickHouse server refuses, so what a
 * careless caller had built of foreign text would run too.
 */
export function isMany(sql: string): boolean {
  let ended = false
  for (let at = 0; at < sql.length; ) {
    const piece = skipPiece(sql, at)
    if (sql[at] === ';') ended = true
    else if (ended && !piece.space) return true
    at = piece.end
  }
  return false
}

const insertForm = /^\s*insert\s+into\s+(?:table\s+)?[\w.`]+\s*(?:\([^)]*\))?\s*format\s+\w+\s*;?\s*$/i
const silentForm =
  /^\s*(create|drop|alter|truncate|optimize|set|use|detach|attach|rename|system|kill|insert|delete|update|exchange|grant|backup|restore)\b/i
const urgentForm = /^\s*kill\b|\bsystem\.processes\b/i
const formatForm = /\bformat\s+(\w+)\s*;?\s*$/i

/** Whether it is `INSERT INTO t (a, b) FORMAT X`, whose rows come in the request's body. */
export const isInsert = (sql: string): boolean => insertForm.test(sql)

/** Such an insert with its rows from a file. */
export const insertFrom = (sql: string, path: string): string =>
  sql.replace(formatForm, (format) => `FROM INFILE ${literal(path)} ${format}`)

/** Whether a statement answers nothing (chDB answers a line of its own to some of them). */
export const isSilent = (sql: string): boolean => silentForm.test(sql)

/** Whether a statement must not wait behind slow queries: those that end them. */
export const isUrgent = (sql: string): boolean => urgentForm.test(sql)

/** The format that a statement names itself. */
export const formatOf = (sql: string): string | undefined => formatForm.exec(sql)?.[1]

/** A text as a quoted literal of ClickHouse's SQL. */
export const literal = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`
