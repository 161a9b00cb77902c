import { LRUCache } from 'lru-cache'

/** Cached results per pattern. */
const cacheMax = 200

type Kind = 'sign' | 'any' | 'set' | 'star' | 'path-star'
/** `code`: the character; `ranges`: those of a set, both ends included. */
type Step = { kind: Kind; code: number; ranges: readonly (readonly [number, number])[]; negated: boolean }
type Ranges = [number, number][]

const step = (kind: Kind, code = 0, ranges: Ranges = [], negated = false): Step => ({ kind, code, ranges, negated })
const codeOf = (character: string | undefined): number => character?.codePointAt(0) ?? 0
const slash = 47

function setAt(characters: readonly string[], at: number): { step: Step; next: number } | undefined {
  const end = characters.indexOf(']', at + 2)
  if (end < 0) return undefined
  const negated = characters[at + 1] === '!' || characters[at + 1] === '^'
  const body = characters.slice(negated ? at + 2 : at + 1, end)
  const ranges: Ranges = []
  for (let i = 0; i < body.length; i++) {
    const [from, to] = [codeOf(body[i]), codeOf(body[i + 2])]
    const isRange = body[i + 1] === '-' && i + 2 < body.length && to >= from && to - from < 256
    ranges.push([from, isRange ? to : from])
    if (isRange) i += 2
  }
  return { step: step('set', 0, ranges, negated), next: end + 1 }
}

/** The steps of a pattern, by Unicode characters. Adjacent stars are merged. */
function stepsOf(pattern: string, isPath: boolean): Step[] {
  const characters = [...pattern]
  const steps: Step[] = []
  for (let at = 0; at < characters.length; ) {
    const character = characters[at]
    const set = character === '[' ? setAt(characters, at) : undefined
    if (set) {
      steps.push(set.step)
      at = set.next
    } else if (character === '*') {
      let end = at
      while (characters[end] === '*') end++
      steps.push(step(isPath && end - at === 1 ? 'path-star' : 'star'))
      at = end
    } else {
      steps.push(character === '?' ? step('any') : step('sign', codeOf(character)))
      at++
    }
  }
  return steps
}

/** Whether a wildcard step matches this character. */
function takes({ kind }: Step, code: number, isPath: boolean): boolean {
  if (kind === 'star') return true
  if (kind === 'path-star') return code !== slash
  return kind === 'any' && (!isPath || code !== slash)
}

type Bits = Int32Array<ArrayBuffer>
/** A pattern with one bit per step. Each character has the bits of the steps that match it. */
type Program = {
  steps: readonly Step[]
  words: number
  stars: Bits
  /** `others`: for characters that no step names; `named`: for the others. Both exclude sets. */
  others: Bits
  named: ReadonlyMap<number, Bits>
  sets: readonly number[]
  /** For characters below 128, including sets; computed on first use. */
  transitions: Bits[]
}

const put = (bits: Bits, at: number): void => {
  bits[at >>> 5] = (bits[at >>> 5] ?? 0) | (1 << (at & 31))
}

function programOf(steps: readonly Step[], isPath: boolean): Program {
  const words = (steps.length >>> 5) + 1
  const bitsWhere = (matches: (entry: Step) => boolean): Bits => {
    const bits = new Int32Array(words)
    for (const [at, entry] of steps.entries()) if (matches(entry)) put(bits, at)
    return bits
  }
  const others = bitsWhere((entry) => takes(entry, 0, isPath))
  const named = new Map<number, Bits>([[slash, bitsWhere((entry) => takes(entry, slash, isPath))]])
  for (const [at, { kind, code }] of steps.entries()) {
    if (kind !== 'sign') continue
    const bits = named.get(code) ?? Int32Array.from(others)
    put(bits, at)
    named.set(code, bits)
  }
  const stars = bitsWhere(({ kind }) => kind === 'star' || kind === 'path-star')
  const sets = [...steps.keys()].filter((at) => steps[at]?.kind === 'set')
  return { steps, words, stars, others, named, sets, transitions: [] }
}

function bitsOf(program: Program, code: number): Bits {
  const { steps, named, others, sets, transitions } = program
  const plain = named.get(code) ?? others
  if (sets.length === 0) return plain
  const before = transitions[code]
  if (before) return before
  const bits = Int32Array.from(plain)
  for (const at of sets) {
    const { ranges = [], negated = false } = steps[at] ?? {}
    if (ranges.some(([from, to]) => code >= from && code <= to) !== negated) put(bits, at)
  }
  if (code < 128) transitions[code] = bits
  return bits
}

/**
 * Follows all possible positions in the pattern at once, 32 per word. The time is at most the length of the text times
 * a 32nd of the pattern, plus its sets for characters beyond ASCII. Followed character by character, 30 KB of rules took a minute
 * for a stack of 250 long paths.
 */
function run(program: Program, text: string): boolean {
  const { steps, words, stars } = program
  const states = new Int32Array(words)
  put(states, 0)
  if (steps[0]?.kind === 'star' || steps[0]?.kind === 'path-star') put(states, 1)
  for (let i = 0; i < text.length; ) {
    const code = text.codePointAt(i) ?? 0
    i += code > 0xffff ? 2 : 1
    const bits = bitsOf(program, code)
    let started = 0
    let entered = 0
    let alive = 0
    for (let word = 0; word < words; word++) {
      const active = (states[word] ?? 0) & (bits[word] ?? 0)
      const star = stars[word] ?? 0
      // A star stays active. Other matching steps activate the next step. A star also starts the step after it at once.
      const advanced = active & ~star
      const next = (advanced << 1) | started | (active & star)
      started = advanced >>> 31
      const through = next & star
      states[word] = next | (through << 1) | entered
      entered = through >>> 31
      alive |= states[word] ?? 0
    }
    if (alive === 0) return false
  }
  return (((states[steps.length >>> 5] ?? 0) >>> (steps.length & 31)) & 1) === 1
}

/** The longest literal text that every match of the pattern contains. */
function literalOf(steps: readonly Step[]): string {
  let [longest, here] = ['', '']
  for (const { kind, code } of steps) {
    here = kind === 'sign' ? here + String.fromCodePoint(code) : ''
    if (here.length > longest.length) longest = here
  }
  return longest
}

/** Caches results, because the same paths come with every event of a project. */
function remembered(find: (text: string) => boolean): (text: string) => boolean {
  const cache = new LRUCache<string, boolean>({ max: cacheMax })
  return (text) => {
    const before = cache.get(text)
    if (before !== undefined) return before
    const found = find(text)
    cache.set(text, found)
    return found
  }
}

/** Compiles a pattern for texts that are already normalized. */
function formedGlob(pattern: string, isPath: boolean): (text: string) => boolean {
  if (!/[*?[]/.test(pattern)) return (text) => text === pattern
  // Most patterns have this form. In a path, a single star is not simple, because it does not match slashes.
  const simple = (isPath ? /^((?:\*\*+)?)([^*?[]*)((?:\*\*+)?)$/ : /^(\**)([^*?[]*)(\**)$/).exec(pattern)
  if (simple) {
    const [, before = '', middle = '', suffix = ''] = simple
    if (before && suffix) return (text) => text.includes(middle)
    return before ? (text) => text.endsWith(middle) : (text) => text.startsWith(middle)
  }
  const steps = stepsOf(pattern, isPath)
  const literal = literalOf(steps)
  const program = programOf(steps, isPath)
  const find = remembered((text) => run(program, text))
  // 350 patterns and 60 new paths: the costly match runs only for the few that contain the literal.
  return (text) => text.includes(literal) && find(text)
}

/**
 * Compiles a pattern of `*`, `?` and `[...]`. Matching is linear in the text (see `run`). `ignoreCase`: ignores the
 * case of both.
 */
export function glob(
  pattern: string,
  { ignoreCase = false }: { ignoreCase?: boolean } = {},
): (text: string) => boolean {
  const form = (text: string) => (ignoreCase ? text.toLowerCase() : text)
  const matches = formedGlob(form(pattern), false)
  // All frames of an exception are tested with the same value in a row.
  let last: string | undefined
  let found = false
  return (text) => {
    if (text !== last) {
      last = text
      found = matches(form(text))
    }
    return found
  }
}

/** A normalized path, as it is and with a leading slash: a pattern for a folder before "src" also matches "src/x". */
export type PathText = { text: string; rooted: string }

/** Made once per frame. Done for each of 500 rules, it would cost more than all of them. */
export function pathTextOf(path: string): PathText {
  const text = path.toLowerCase().replaceAll('\\', '/')
  return { text, rooted: text.startsWith('/') ? text : `/${text}` }
}

/**
 * Compiles a pattern for a path or package. Ignores case and the kind of slash. One star stays in a folder, two stars
 * cross folders.
 */
export function pathGlob(pattern: string): (path: PathText) => boolean {
  const formed = pathTextOf(pattern).text
  const matches = formedGlob(formed, true)
  // These patterns need the leading slash or also match it.
  if (formed.startsWith('**') || formed.startsWith('/')) return ({ rooted }) => matches(rooted)
  return ({ text, rooted }) => matches(text) || (rooted !== text && matches(rooted))
}
