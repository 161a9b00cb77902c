// JavaScript tokens in the detail needed for brackets and functions. A full parser takes seconds for a bundle of some
// MB and a tree of hundreds of MB. This pass takes a tenth of the time and keeps three numbers per token.

/** Kinds of tokens. A single-character token has its character code. */
export const token = {
  name: 1,
  number: 2,
  text: 3,
  template: 4,
  regex: 5,
  arrow: 256,
  operator: 257,
  optional: 258,
  spread: 259,
  step: 260,
} as const

/** Words that affect the tokens after them. Their kind is 300 plus their index here. */
const words = [
  'function',
  'class',
  'async',
  'get',
  'set',
  'static',
  'return',
  'typeof',
  'case',
  'in',
  'instanceof',
  'new',
  'delete',
  'void',
  'throw',
  'do',
  'else',
  'yield',
  'await',
  'of',
  'if',
  'while',
  'for',
  'with',
  'extends',
  'default',
] as const
const wordBase = 300
const wordKinds: ReadonlyMap<string, number> = new Map(words.map((word, at) => [word, wordBase + at]))
const wordStarts: ReadonlySet<number> = new Set(words.map((word) => word.charCodeAt(0)))

/** The kind of one of the words above. */
export const wordToken = (word: (typeof words)[number]): number => wordKinds.get(word) ?? token.name

export const isName = (kind: number): boolean => kind === token.name || kind >= wordBase

/** After these words, a slash starts a regular expression and a brace starts an object. */
const before: ReadonlySet<number> = new Set(
  (['return', 'typeof', 'case', 'in', 'instanceof', 'new', 'delete', 'void', 'throw', 'yield', 'await', 'of'] as const)
    .map(wordToken)
    .concat([wordToken('extends'), wordToken('default')]),
)
const beforeRegex: ReadonlySet<number> = new Set([...before, wordToken('do'), wordToken('else')])
const beforeParen: ReadonlySet<number> = new Set((['if', 'while', 'for', 'with'] as const).map(wordToken))

/**
 * The tokens of a script in order. `match`: the partner of a bracket (-1: none). `object`: 1 for a `{` in the place of
 * a value. Each piece of a template is a token that links to the next piece. Offsets in UTF-16 units.
 */
export type Tokens = {
  count: number
  kind: Uint16Array
  start: Uint32Array
  end: Uint32Array
  match: Int32Array
  object: Uint8Array
}

const isSpace = (code: number) =>
  code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || code === 0xfeff || code === 0x2028 || code === 0x2029
const isWordPart = (code: number) =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  code === 95 ||
  code === 36 ||
  code === 92 ||
  (code > 127 && !isSpace(code))
const isDigit = (code: number) => code >= 48 && code <= 57

/** Splits a script into tokens. Unreadable code ends the list early. Never throws. */
export function tokensOf(code: string): Tokens {
  const reader = new Reader(code)
  let at = code.startsWith('#!') ? lineEnd(code, 0) : 0
  while (at >= 0 && at < code.length) at = reader.read(at)
  return reader.tokens()
}

function lineEnd(code: string, at: number): number {
  const end = code.indexOf('\n', at)
  return end < 0 ? code.length : end
}

class Reader {
  private readonly code: string
  private room: number
  private count = 0
  private kind: Uint16Array<ArrayBuffer>
  private start: Uint32Array<ArrayBuffer>
  private end: Uint32Array<ArrayBuffer>
  private match: Int32Array<ArrayBuffer>
  private objects: Uint8Array<ArrayBuffer>
  /** Open brackets. */
  private readonly open: number[] = []
  /** Whether the last token ends a value, so that a slash means division. */
  private value = false

  constructor(code: string) {
    this.code = code
    this.room = Math.max(1024, code.length >>> 2)
    this.kind = new Uint16Array(this.room)
    this.start = new Uint32Array(this.room)
    this.end = new Uint32Array(this.room)
    this.match = new Int32Array(this.room)
    this.objects = new Uint8Array(this.room)
  }

  private grow(): void {
    this.room *= 2
    const wider = <T extends Uint8Array | Uint16Array | Uint32Array | Int32Array>(from: T, to: T): T => {
      to.set(from)
      return to
    }
    this.kind = wider(this.kind, new Uint16Array(this.room))
    this.start = wider(this.start, new Uint32Array(this.room))
    this.end = wider(this.end, new Uint32Array(this.room))
    this.match = wider(this.match, new Int32Array(this.room))
    this.objects = wider(this.objects, new Uint8Array(this.room))
  }

  private push(what: number, from: number, to: number, endsValue: boolean): number {
    if (this.count === this.room) this.grow()
    this.kind[this.count] = what
    this.start[this.count] = from
    this.end[this.count] = to
    this.match[this.count] = -1
    this.value = endsValue
    this.count++
    return to
  }

  private lastKind(): number {
    return this.count > 0 ? (this.kind[this.count - 1] ?? 0) : 0
  }

  private openBracket(sign: number, at: number): number {
    const last = this.lastKind()
    const member = this.count > 1 && isMember(this.kind[this.count - 2] ?? 0)
    if (sign === 123) {
      // After a word, a closing bracket or an arrow, it is a block. After an operator, it is a value.
      const block =
        last === 0 || last === 41 || last === 59 || last === 123 || last === 125 || last === token.arrow || this.value
      const object = before.has(last) ? !member && last !== wordToken('extends') : !block && !isName(last)
      this.open.push(this.count)
      this.push(sign, at, at + 1, false)
      this.objects[this.count - 1] = object ? 1 : 0
      return at + 1
    }
    this.open.push(this.count)
    return this.push(sign, at, at + 1, false)
  }

  private closeBracket(sign: number, at: number): number {
    const opener = this.open.pop()
    if (opener === undefined) return -1
    const was = this.kind[opener] ?? 0
    if (was === token.template) {
      if (sign !== 125) return -1
      const next = this.readTemplate(at + 1)
      if (next >= 0) this.match[opener] = this.count - 1
      return next
    }
    if ((sign === 41 && was !== 40) || (sign === 93 && was !== 91) || (sign === 125 && was !== 123)) return -1
    const head = opener > 0 ? (this.kind[opener - 1] ?? 0) : 0
    const control = beforeParen.has(head) && !isMember(opener > 1 ? (this.kind[opener - 2] ?? 0) : 0)
    const endsValue = sign === 93 || (sign === 41 ? !control : this.objects[opener] === 1)
    this.push(sign, at, at + 1, endsValue)
    this.match[this.count - 1] = opener
    this.match[opener] = this.count - 1
    return at + 1
  }

  /** Reads a template from a backtick, or from the `}` that ends an expression, to its next expression or its end. */
  private readTemplate(from: number): number {
    for (let at = from; at < this.code.length; at++) {
      const c = this.code.charCodeAt(at)
      if (c === 92) at++
      else if (c === 96) return this.push(token.template, from - 1, at + 1, true)
      else if (c === 36 && this.code.charCodeAt(at + 1) === 123) {
        this.open.push(this.count)
        return this.push(token.template, from - 1, at + 2, false)
      }
    }
    return -1
  }

  private readText(at: number, quote: number): number {
    for (let i = at + 1; i < this.code.length; i++) {
      const c = this.code.charCodeAt(i)
      if (c === 92) i++
      else if (c === quote) return this.push(token.text, at, i + 1, true)
      else if (c === 10) return -1
    }
    return -1
  }

  private readWord(at: number): number {
    let i = at + 1
    while (i < this.code.length && isWordPart(this.code.charCodeAt(i))) i++
    const keyword =
      i - at <= 10 && wordStarts.has(this.code.charCodeAt(at)) ? wordKinds.get(this.code.slice(at, i)) : undefined
    if (keyword === undefined) return this.push(token.name, at, i, true)
    return this.push(keyword, at, i, isMember(this.lastKind()) || !beforeRegex.has(keyword))
  }

  private readNumber(at: number): number {
    const hex = this.code.charCodeAt(at) === 48 && (this.code.charCodeAt(at + 1) | 32) === 120
    let i = at + 1
    for (; i < this.code.length; i++) {
      const c = this.code.charCodeAt(i)
      const sign = (c === 43 || c === 45) && !hex && (this.code.charCodeAt(i - 1) | 32) === 101
      if (!sign && c !== 46 && !isWordPart(c)) break
    }
    return this.push(token.number, at, i, true)
  }

  /** Reads a regular expression from its slash. Gives -1 if the line ends within it. */
  private readRegex(at: number): number {
    let inClass = false
    for (let i = at + 1; i < this.code.length; i++) {
      const c = this.code.charCodeAt(i)
      if (c === 10) return -1
      if (c === 92) i++
      else if (c === 91) inClass = true
      else if (c === 93) inClass = false
      else if (c === 47 && !inClass) {
        i++
        while (i < this.code.length && isWordPart(this.code.charCodeAt(i))) i++
        return this.push(token.regex, at, i, true)
      }
    }
    return -1
  }

  private readSlash(at: number): number {
    const next = this.code.charCodeAt(at + 1)
    if (next === 47) return lineEnd(this.code, at)
    if (next === 42) {
      const done = this.code.indexOf('*/', at + 2)
      return done < 0 ? this.code.length : done + 2
    }
    const regex = this.value ? -1 : this.readRegex(at)
    return regex < 0 ? this.push(token.operator, at, at + 1, false) : regex
  }

  private readSign(c: number, at: number): number {
    const next = this.code.charCodeAt(at + 1)
    if (c === 61) {
      if (next === 62) return this.push(token.arrow, at, at + 2, false)
      if (next === 61) return this.push(token.operator, at, at + (this.code.charCodeAt(at + 2) === 61 ? 3 : 2), false)
      return this.push(61, at, at + 1, false)
    }
    if (c === 46) {
      if (isDigit(next)) return this.readNumber(at)
      if (next === 46 && this.code.charCodeAt(at + 2) === 46) return this.push(token.spread, at, at + 3, false)
      return this.push(46, at, at + 1, false)
    }
    if (c === 63 && next === 46 && !isDigit(this.code.charCodeAt(at + 2)))
      return this.push(token.optional, at, at + 2, false)
    if ((c === 43 || c === 45) && next === c) return this.push(token.step, at, at + 2, this.value)
    if (c === 44 || c === 58 || c === 59 || c === 42 || (c === 63 && next !== 63))
      return this.push(c, at, at + 1, false)
    // |=, &&= and ??= give a name too. In !=, <=, >=, += and similar, the second character belongs to the first.
    if ((c === 124 || c === 38 || c === 63) && next === c) {
      const assigns = this.code.charCodeAt(at + 2) === 61
      return this.push(assigns ? 61 : token.operator, at, at + (assigns ? 3 : 2), false)
    }
    return this.push(token.operator, at, at + (next === 61 ? 2 : 1), false)
  }

  /** Reads the token at an offset. Returns the offset behind it, or -1 if the rest cannot be read. */
  read(at: number): number {
    const c = this.code.charCodeAt(at)
    if (isSpace(c)) return at + 1
    if (isDigit(c)) return this.readNumber(at)
    if (isWordPart(c) || c === 35) return this.readWord(at)
    if (c === 34 || c === 39) return this.readText(at, c)
    if (c === 96) return this.readTemplate(at + 1)
    if (c === 40 || c === 91 || c === 123) return this.openBracket(c, at)
    if (c === 41 || c === 93 || c === 125) return this.closeBracket(c, at)
    return c === 47 ? this.readSlash(at) : this.readSign(c, at)
  }

  tokens(): Tokens {
    const { count, kind, start, end, match, objects } = this
    return { count, kind, start, end, match, object: objects }
  }
}

/** `.` and `?.`: the next word is the name of a property, even if it is a keyword. */
export const isMember = (kind: number): boolean => kind === 46 || kind === token.optional
