/** Returns the end of the quoted piece at `at` (after the closing quote), or the end of the text if it never closes. */
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

/** Returns the end of the quoted text, comment, heredoc or character at `at`. `space`: a comment or white space. */
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
 * Returns whether a text has more than one statement. ClickHouse servers refuse such a text, but chDB runs all of its
 * statements. SQL injection in a caller would then run too.
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

/** Returns whether the statement is `INSERT INTO t (a, b) FORMAT X`, with its rows in the request's body. */
export const isInsert = (sql: string): boolean => insertForm.test(sql)

/** Changes such an insert to read its rows from a file. */
export const insertFrom = (sql: string, path: string): string =>
  sql.replace(formatForm, (format) => `FROM INFILE ${literal(path)} ${format}`)

/** Returns whether a statement has no result. chDB returns a line of its own for some of them. */
export const isSilent = (sql: string): boolean => silentForm.test(sql)

/** Returns whether a statement must not queue behind slow queries: KILL, and queries of the process list. */
export const isUrgent = (sql: string): boolean => urgentForm.test(sql)

/** Returns the format that the statement names. */
export const formatOf = (sql: string): string | undefined => formatForm.exec(sql)?.[1]

/** Quotes a text as a literal of ClickHouse's SQL. */
export const literal = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`
