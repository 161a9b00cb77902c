/** An error in a text of rules. Line and column count from 1. */
export type RuleError = { line: number; column: number; message: string }

/** Maximum characters of a text of rules, and maximum rules. */
export const ruleTextMax = 32_768
export const rulesMax = 500
/** Maximum matchers of a rule, and maximum characters of a pattern. */
export const matchersMax = 20
const patternMax = 256

/** Thrown while a line is parsed. `at` counts characters from 0. */
class RuleProblem extends Error {
  at: number
  constructor(at: number, message: string) {
    super(message)
    this.at = at
  }
}

export type RuleMatcher<Key extends string> = { key: Key; pattern: string; negated: boolean }

/** Reads the words of one line from left to right. */
export class RuleScanner {
  at = 0
  readonly line: string
  constructor(line: string) {
    this.line = line
  }

  /** Skips blanks. Returns whether more text follows. */
  more(): boolean {
    while (/\s/.test(this.line[this.at] ?? 'x')) this.at++
    return this.at < this.line.length
  }

  /** Consumes a text at the current position. Returns false if it is not there. */
  take(text: string): boolean {
    if (!this.line.startsWith(text, this.at)) return false
    this.at += text.length
    return true
  }

  fail(message: string, at = this.at): never {
    throw new RuleProblem(at, message)
  }

  /** Reads a text in double quotes, or up to a blank. `stop` also ends bare text, but not within brackets of a set. */
  value(expected: string, stop = ''): string {
    const from = this.at
    if (this.line[this.at] === '"') return this.quoted()
    for (;;) {
      const sign = this.line[this.at]
      if (sign === undefined || sign === stop || /\s/.test(sign)) break
      // Same set syntax as in patterns: its first character can be the bracket itself.
      const set = sign === '[' ? /^\[\S[^\]\s]*\]/.exec(this.line.slice(this.at, this.at + patternMax))?.[0] : undefined
      this.at += set?.length ?? 1
    }
    if (this.at === from) this.fail(`expected ${expected}`)
    return this.line.slice(from, this.at)
  }

  private quoted(): string {
    const from = this.at
    let out = ''
    for (this.at++; this.at < this.line.length; this.at++) {
      const sign = this.line[this.at]
      if (sign === '"') {
        this.at++
        return out
      }
      const next = this.line[this.at + 1]
      if (sign === '\\' && (next === '"' || next === '\\')) {
        out += next
        this.at++
      } else out += sign
    }
    return this.fail('the quotation mark is not closed', from)
  }

  /** Reads a key up to its colon. */
  key(expected: string): string {
    const found = /^[A-Za-z][\w.-]*(?=:)/.exec(this.line.slice(this.at, this.at + 250))?.[0]
    if (found === undefined) return this.fail(`expected ${expected}`)
    this.at += found.length + 1
    return found
  }

  /**
   * Reads `[!]key:pattern`. `keyOf` maps the written key to its name; undefined if unknown. `stop` ends a pattern
   * without quotes.
   */
  matcher<Key extends string>(keyOf: (written: string) => Key | undefined, known: string, stop = ''): RuleMatcher<Key> {
    const negated = this.take('!')
    const at = this.at
    const written = this.key('a matcher such as error.type:"..."')
    const key = keyOf(written)
    if (key === undefined) return this.fail(`there is no matcher “${written}”; expected ${known}`, at)
    const valueAt = this.at
    const pattern = this.value('a pattern', stop)
    if (pattern.length > patternMax) this.fail(`a pattern has at most ${patternMax} characters`, valueAt)
    return { key, pattern, negated }
  }
}

/** Parses rules, one per line, and ignores blank lines and comments. Returns the rules and the errors. */
export function readRules<Rule>(
  text: string,
  read: (scanner: RuleScanner) => Rule,
): { rules: (Rule & { text: string; line: number })[]; errors: RuleError[] } {
  const rules: (Rule & { text: string; line: number })[] = []
  const errors: RuleError[] = []
  if (text.length > ruleTextMax)
    return { rules, errors: [{ line: 1, column: 1, message: `at most ${ruleTextMax} characters` }] }
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.replace(/\r$/, '')
    if (!line.trim() || line.trimStart().startsWith('#')) continue
    if (rules.length === rulesMax) {
      errors.push({ line: index + 1, column: 1, message: `at most ${rulesMax} rules` })
      break
    }
    try {
      rules.push({ ...read(new RuleScanner(line)), text: line.trim(), line: index + 1 })
    } catch (error) {
      if (!(error instanceof RuleProblem)) throw error
      errors.push({ line: index + 1, column: error.at + 1, message: error.message })
    }
  }
  return { rules, errors }
}

/** Returns an error as a sentence. */
export const ruleSentence = ({ line, column, message }: RuleError): string =>
  `Line ${line}, column ${column}: ${message}.`
