/** Characters of a text that make its shape. Lines that differ only behind them have one pattern. */
export const shapeTextMax = 2048

const isDigit = (code: number) => code >= 48 && code <= 57
const isLetter = (code: number) => (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
const isHexLetter = (code: number) => (code >= 97 && code <= 102) || (code >= 65 && code <= 70)
/** Signs within ids, versions, addresses and paths. They belong to a word if a letter or digit follows. */
const isJoint = (code: number) => code === 45 || code === 46 || code === 58 || code === 95 || code === 64
const isWordSign = (code: number) => isDigit(code) || isLetter(code)
const [doubleQuote, singleQuote, backslash, colon, newLine] = [34, 39, 92, 58, 10]
/** Words of hex digits alone are ids from this length on: `deadbeef`, but not `decade` or `facade`. */
const hexMin = 8

/** Where a quoted text ends, after its closing quote; the negative end of its line if it is not closed there. */
function quoteEnd(text: string, start: number, end: number): number {
  const quote = text.charCodeAt(start)
  for (let at = start + 1; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code === backslash) at++
    else if (code === quote) return at + 1
    else if (code === newLine) return -at
  }
  return -end
}

/** Where a word ends that begins at `start`, and whether it is a value: it has a digit, or is a long hex number. */
function wordFrom(text: string, start: number, end: number): { to: number; isValue: boolean } {
  let [hasDigit, isHex] = [false, true]
  let at = start
  for (; at < end; at++) {
    const code = text.charCodeAt(at)
    if (isDigit(code)) hasDigit = true
    else if (isLetter(code)) isHex &&= isHexLetter(code)
    else if (!isJoint(code) || at + 1 >= end || !isWordSign(text.charCodeAt(at + 1))) break
  }
  return { to: at, isValue: hasDigit || (isHex && at - start >= hexMin) }
}

/** Puts a sign in the place of each value of a text, and adds the values to a list. Each character is read at most twice. */
function withSigns(text: string, sign: string, values?: string[]): string {
  const end = Math.min(text.length, shapeTextMax)
  let out = ''
  /** What is copied as it is starts here. */
  let from = 0
  /** No quote is closed before this place: searching for it again would be quadratic in a text of quotes. */
  let quotesFrom = 0
  for (let at = 0; at < end; ) {
    const code = text.charCodeAt(at)
    if (isWordSign(code)) {
      const { to, isValue } = wordFrom(text, at, end)
      if (isValue) {
        out += text.slice(from, at) + sign
        values?.push(text.slice(at, to))
        from = to
      }
      // An apostrophe within a word quotes nothing.
      at = text.charCodeAt(to) === singleQuote ? to + 1 : to
    } else if ((code === doubleQuote || code === singleQuote) && at >= quotesFrom) {
      const to = quoteEnd(text, at, end)
      if (to > 0 && text.charCodeAt(to) !== colon) {
        out += text.slice(from, at) + sign
        values?.push(text.slice(at, to))
        from = to
      }
      if (to < 0) quotesFrom = -to
      at = to > 0 ? to : at + 1
    } else at++
  }
  return out + text.slice(from, end)
}

/**
 * The shape of a log line: numbers, ids, quoted texts and words with digits become `*`. Lines of one program point have
 * the same shape, whatever their values. Names of JSON members stay.
 */
export const shapeOf = (text: string): string => withSigns(text, '*')

/** Stands for a value in the shape of a stored text: a control sign that texts do not have. */
export const valueSign = '\x1a'
/** Longer texts are hardly ever repeated. */
const splitTextMax = 1000

/** A text as its shape and the values of the shape's signs, in order. */
export type TextParts = { shape: string; values: readonly string[] }

/**
 * Splits a text into its shape, with `valueSign` for each value, and the values. Undefined for a text that is stored
 * whole: it has the sign itself, is empty, or has more than 1,000 characters.
 *
 * A text is only cut between a character that is an ASCII letter or digit and one that is none, or beside a quote. So
 * a run of ASCII letters and digits is whole in the shape or in one value: searches for words depend on it.
 */
export function splitText(text: string): TextParts | undefined {
  if (text === '' || text.length > splitTextMax || text.includes(valueSign)) return undefined
  const values: string[] = []
  return { shape: withSigns(text, valueSign, values), values }
}
