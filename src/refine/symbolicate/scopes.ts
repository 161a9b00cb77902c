import { isMember, isName, type Tokens, token, tokensOf, wordToken } from './tokens.ts'

/** A part of a function's name in the minified file: the offset of its token in UTF-16 units, and its text. */
export type NamePart = { at: number; text: string }

/** A function of the minified file. `name` is empty if no name was found. `isConstructor`: `new` calls it. */
type ScriptFunction = { start: number; end: number; name: NamePart[]; isConstructor: boolean }

const ownersMax = 6
const partsMax = 8
const functionWord = wordToken('function')
const classWord = wordToken('class')
const asyncWord = wordToken('async')
const staticWord = wordToken('static')
const modifiers: ReadonlySet<number> = new Set([
  asyncWord,
  wordToken('get'),
  wordToken('set'),
  staticWord,
  42, // the `*` of a generator
])

/** Statements with parentheses and a block. They matter if a block after a label was taken for an object. */
const statements: ReadonlySet<string> = new Set(['if', 'for', 'while', 'with', 'switch'])

/** All functions of a script, outer ones before inner ones. Skips unreadable parts. Never throws. */
export function functionsOf(code: string): ScriptFunction[] {
  const reader = new Reader(code, tokensOf(code))
  return reader.functions().sort((a, b) => a.start - b.start || b.end - a.end)
}

class Reader {
  private readonly code: string
  private readonly count: number
  private readonly kind: Tokens['kind']
  private readonly start: Tokens['start']
  private readonly end: Tokens['end']
  private readonly match: Tokens['match']
  private readonly object: Tokens['object']
  /** The token of the word `class`, by the opening brace of its body. */
  private readonly classOf = new Map<number, number>()
  /** Open braces around the current token. */
  private readonly openBraces: number[] = []
  private readonly out: ScriptFunction[] = []

  constructor(code: string, tokens: Tokens) {
    this.code = code
    this.count = tokens.count
    this.kind = tokens.kind
    this.start = tokens.start
    this.end = tokens.end
    this.match = tokens.match
    this.object = tokens.object
  }

  private kindAt(at: number): number {
    return at >= 0 && at < this.count ? (this.kind[at] ?? 0) : 0
  }

  private startAt(at: number): number {
    return this.start[at] ?? 0
  }

  private endAt(at: number): number {
    return this.end[at] ?? 0
  }

  private matchAt(at: number): number {
    return this.match[at] ?? -1
  }

  private part(at: number): NamePart {
    return { at: this.startAt(at), text: this.code.slice(this.startAt(at), this.endAt(at)) }
  }

  private isProperty(at: number): boolean {
    return isMember(this.kindAt(at - 1))
  }

  private isKey(at: number): boolean {
    const what = this.kindAt(at)
    return what === token.text || what === token.number || isName(what)
  }

  private keyPart(at: number): NamePart {
    const key = this.part(at)
    return this.kindAt(at) === token.text ? { at: key.at, text: key.text.slice(1, -1) } : key
  }

  /** The chain `a.b.c` that ends at a token, outermost first. Calls and computed keys end the chain. */
  private chainTo(last: number): NamePart[] {
    const parts: NamePart[] = []
    let at = last
    for (; parts.length < partsMax && isName(this.kindAt(at)); at -= 2) {
      parts.unshift(this.part(at))
      if (!isMember(this.kindAt(at - 1))) break
    }
    return parts
  }

  /** The name of an anonymous value, from its assignment. `at`: its first token; `brace`: that around it, or -1. */
  private givenName(at: number, brace: number, depth = 0): NamePart[] {
    if (depth > ownersMax) return []
    const before = this.kindAt(at - 1)
    if (before === 61) {
      const chain = this.chainTo(at - 2)
      const field = chain.length === 1 && this.classOf.has(brace) && this.isFieldStart(at - 2, brace)
      return field ? [...this.ownerName(brace, depth), ...chain] : chain
    }
    if (before === 58 && this.object[brace] === 1 && this.isKey(at - 2) && [44, 123].includes(this.kindAt(at - 3)))
      return [...this.ownerName(brace, depth), this.keyPart(at - 2)]
    return []
  }

  /** Whether a name is directly in a class body, after the end of the previous member. */
  private isFieldStart(at: number, brace: number): boolean {
    const before = at - 1
    return before === brace || [59, 125].includes(this.kindAt(before)) || this.kindAt(before) === staticWord
  }

  /** The name of a class or an object by its opening brace. */
  private ownerName(brace: number, depth: number): NamePart[] {
    const word = this.classOf.get(brace)
    const outer = this.enclosingBrace(brace)
    if (word === undefined) return this.givenName(brace, outer, depth + 1)
    if (this.kindAt(word + 1) === token.name) return [this.part(word + 1)]
    return this.givenName(word, outer, depth + 1)
  }

  /** The brace around another brace, from the stack: both are still open, or were until a moment ago. */
  private enclosingBrace(brace: number): number {
    const at = this.openBraces.lastIndexOf(brace)
    return at > 0 ? (this.openBraces[at - 1] ?? -1) : -1
  }

  private addFunction(at: number): void {
    let next = at + 1
    if (this.kindAt(next) === 42) next++
    const named = isName(this.kindAt(next)) ? next++ : undefined
    if (this.kindAt(next) !== 40) return
    const body = this.matchAt(next) + 1
    if (body === 0 || this.kindAt(body) !== 123 || this.matchAt(body) < 0) return
    const first = this.kindAt(at - 1) === asyncWord && !this.isProperty(at - 1) ? at - 1 : at
    const name = named === undefined ? this.givenName(first, this.openBraces.at(-1) ?? -1) : [this.part(named)]
    this.out.push({ start: this.startAt(first), end: this.endAt(this.matchAt(body)), name, isConstructor: false })
  }

  private addArrow(at: number): void {
    let first = at - 1
    if (this.kindAt(first) === 41) first = this.matchAt(first)
    else if (!isName(this.kindAt(first))) return
    if (first < 0) return
    if (this.kindAt(first - 1) === asyncWord && !this.isProperty(first - 1)) first--
    const name = this.givenName(first, this.openBraces.at(-1) ?? -1)
    this.out.push({ start: this.startAt(first), end: this.endOfValue(at + 1), name, isConstructor: false })
  }

  /** The end of the value that starts at a token: the body of an arrow function without braces. */
  private endOfValue(from: number): number {
    if (this.kindAt(from) === 123) return this.matchAt(from) < 0 ? this.code.length : this.endAt(this.matchAt(from))
    let choices = 0
    for (let at = from; at < this.count; at++) {
      const what = this.kindAt(at)
      if (what === 40 || what === 91 || what === 123) {
        if (this.matchAt(at) < 0) return this.code.length
        at = this.matchAt(at)
      } else if (what === token.template) {
        if (this.code.charCodeAt(this.startAt(at)) === 125) return this.endAt(at - 1)
        while (this.matchAt(at) > at) at = this.matchAt(at)
      } else if (what === 41 || what === 93 || what === 125 || what === 44 || what === 59) return this.endAt(at - 1)
      else if (what === 63) choices++
      else if (what === 58 && --choices < 0) return this.endAt(at - 1)
      else if (at > from && isName(what) && this.breaksBefore(at)) return this.endAt(at - 1)
    }
    return this.count > 0 ? this.endAt(this.count - 1) : this.code.length
  }

  /** Whether a line break separates a complete value from a name, because a semicolon was omitted. */
  private breaksBefore(at: number): boolean {
    const last = this.kindAt(at - 1)
    const ends = isName(last) || [token.number, token.text, token.regex, 41, 93, 125].includes(last as 2)
    return (
      ends &&
      !['in', 'instanceof'].includes(this.part(at).text) &&
      this.code.slice(this.endAt(at - 1), this.startAt(at)).includes('\n')
    )
  }

  /** Adds `name(...) {` directly in a class or an object. `body`: its brace. */
  private addMethod(body: number): void {
    const brace = this.openBraces.at(-1) ?? -1
    if (brace < 0 || (!this.classOf.has(brace) && this.object[brace] !== 1) || this.kindAt(body - 1) !== 41) return
    const key = this.matchAt(body - 1) - 1
    if (key <= brace || this.matchAt(body) < 0) return
    const computed = this.kindAt(key) === 93
    if (!computed && !this.isKey(key)) return
    if (this.kindAt(key) === functionWord) return
    const inClass = this.classOf.has(brace)
    if (
      !inClass &&
      this.kindAt(brace - 1) === 58 &&
      this.kindAt(key - 1) === 123 &&
      statements.has(this.part(key).text)
    )
      return
    let first = computed ? this.matchAt(key) : key
    while (first - 1 > brace && modifiers.has(this.kindAt(first - 1))) first--
    // In a class, a field without a semicolon can come before it; in an object, only a comma or the brace.
    const before = this.kindAt(first - 1)
    if (inClass ? before === functionWord : before !== 44 && before !== 123) return
    const owner = this.ownerName(brace, 0)
    const own = computed ? undefined : this.keyPart(key)
    const isConstructor = own?.text === 'constructor' && inClass
    const name = isConstructor ? owner : own ? [...owner, own] : owner
    this.out.push({
      start: this.startAt(first),
      end: this.endAt(this.matchAt(body)),
      name,
      isConstructor: isConstructor && name.length > 0,
    })
  }

  /** Finds the body of a class: the first brace after its word and its `extends` clause. */
  private enterClass(at: number): void {
    if (this.isProperty(at) || this.kindAt(at + 1) === 58) return
    for (let i = at + 1; i < this.count && i < at + 64; i++) {
      const what = this.kindAt(i)
      if (what === 123) {
        this.classOf.set(i, at)
        return
      }
      if (what === 40 || what === 91) i = Math.max(i, this.matchAt(i))
      else if (what === 59 || what === 41 || what === 125) return
    }
  }

  /** Returns all functions, unsorted. */
  functions(): ScriptFunction[] {
    for (let at = 0; at < this.count; at++) {
      const what = this.kindAt(at)
      if (what === 123) {
        this.addMethod(at)
        this.openBraces.push(at)
      } else if (what === 125) this.openBraces.pop()
      else if (what === functionWord && !this.isProperty(at)) this.addFunction(at)
      else if (what === classWord) this.enterClass(at)
      else if (what === token.arrow) this.addArrow(at)
    }
    return this.out
  }
}
