import { LRUCache } from 'lru-cache'

/** Answers that a pattern remembers. */
const knownMax = 200

type Kind = 'sign' | 'any' | 'set' | 'star' | 'path-star'
/** `code`: the sign itself; `ranges`: those of a set, both ends within. */
type Step = { kind: Kind; code: number; ranges: readonly (readonly [number, number])[]; negated: boolean }
type Ranges = [number, number][]

const step = (kind: Kind, code = 0, ranges: Ranges = [], negated = false): Step => ({ kind, code, ranges, negated })
const codeOf = (sign: string | undefined): number => sign?.codePointAt(0) ?? 0
const slash = 47

function setAt(signs: readonly string[], at: number): { step: Step; next: number } | undefined {
  const end = signs.indexOf(']', at + 2)
  if (end < 0) return undefined
  const negated = signs[at + 1] === '!' || signs[at + 1] === '^'
  const body = signs.slice(negated ? at + 2 : at + 1, end)
  const ranges: Ranges = []
  for (let i = 0; i < body.length; i++) {
    const [from, to] = [codeOf(body[i]), codeOf(body[i + 2])]
    const isRange = body[i + 1] === '-' && i + 2 < body.length && to >= from && to - from < 256
    ranges.push([from, isRange ? to : from])
    if (isRange) i += 2
  }
  return { step: step('set', 0, ranges, negated), next: end + 1 }
}

/** Steps of a pattern, by signs as people count them: a pictograph is one sign. Two stars are never side by side. */
function stepsOf(pattern: string, isPath: boolean): Step[] {
  const signs = [...pattern]
  const steps: Step[] = []
  for (let at = 0; at < signs.length; ) {
    const sign = signs[at]
    const set = sign === '[' ? setAt(signs, at) : undefined
    if (set) {
      steps.push(set.step)
      at = set.next
    } else if (sign === '*') {
      let end = at
      while (signs[end] === '*') end++
      steps.push(step(isPath && end - at === 1 ? 'path-star' : 'star'))
      at = end
    } else {
      steps.push(sign === '?' ? step('any') : step('sign', codeOf(sign)))
      at++
    }
  }
  return steps
}

/** Whether a step that names no sign takes this sign. */
function takes({ kind }: Step, code: number, isPath: boolean): boolean {
  if (kind === 'star') return true
  if (kind === 'path-star') return code !== slash
  return kind === 'any' && (!isPath || code !== slash)
}

type Bits = Int32Array<ArrayBuffer>
/** A pattern as one bit a step: for a sign, the bits of the steps that take it. */
type Program = {
  steps: readonly Step[]
  words: number
  stars: Bits
  /** Of signs that no step names; `named` of the others, both without the sets. */
  others: Bits
  named: ReadonlyMap<number, Bits>
  sets: readonly number[]
  /** Of signs below 128, with the sets; made when they are met. */
  known: Bits[]
}

const put = (bits: Bits, at: number): void => {
  bits[at >>> 5] = (bits[at >>> 5] ?? 0) | (1 << (at & 31))
}

function programOf(steps: readonly Step[], isPath: boolean): Program {
  const words = (steps.length >>> 5) + 1
  const bitsWhere = (holds: (entry: Step) => boolean): Bits => {
    const bits = new Int32Array(words)
    for (const [at, entry] of steps.entries()) if (holds(entry)) put(bits, at)
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
  return { steps, words, stars, others, named, sets, known: [] }
}

function bitsOf(program: Program, code: number): Bits {
  const { steps, named, others, sets, known } = program
  const plain = named.get(code) ?? others
  if (sets.length === 0) return plain
  const before = known[code]
  if (before) return before
  const bits = Int32Array.from(plain)
  for (const at of sets) {
    const { ranges = [], negated = false } = steps[at] ?? {}
    if (ranges.some(([from, to]) => code >= from && code <= to) !== negated) put(bits, at)
  }
  if (code < 128) known[code] = bits
  return bits
}

/**
 * All places of the pattern that the text may be at are followed at once, 32 in each word: the time is at most the length of
 * the text times a 32nd of the pattern, plus its sets where a sign is beyond ASCII. Followed one by one, 30 KB of rules took
 * a minute for a stack of 250 long paths.
 */
function run(program: Program, text: string): boolean {
  const { steps, words, stars } = program
  const here = new Int32Array(words)
  put(here, 0)
  if (steps[0]?.kind === 'star' || steps[0]?.kind === 'path-star') put(here, 1)
  for (let i = 0; i < text.length; ) {
    const code = text.codePointAt(i) ?? 0
    i += code > 0xffff ? 2 : 1
    const bits = bitsOf(program, code)
    let moved = 0
    let entered = 0
    let alive = 0
    for (let word = 0; word < words; word++) {
      const held = (here[word] ?? 0) & (bits[word] ?? 0)
      const star = stars[word] ?? 0
      // A star stays where it is; each other step that takes the sign gives way to the next, and a star lets one through at once.
      const going = held & ~star
      const next = (going << 1) | moved | (held & star)
      moved = going >>> 31
      const through = next & star
      here[word] = next | (through << 1) | entered
      entered = through >>> 31
      alive |= here[word] ?? 0
    }
    if (alive === 0) return false
  }
  return (((here[steps.length >>> 5] ?? 0) >>> (steps.length & 31)) & 1) === 1
}

/** The longest text that stands in whatever the pattern holds of. */
function literalOf(steps: readonly Step[]): string {
  let [longest, here] = ['', '']
  for (const { kind, code } of steps) {
    here = kind === 'sign' ? here + String.fromCodePoint(code) : ''
    if (here.length > longest.length) longest = here
  }
  return longest
}

/** The same paths come with every event of a project. */
function remembered(find: (text: string) => boolean): (text: string) => boolean {
  const known = new LRUCache<string, boolean>({ max: knownMax })
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const found = find(text)
    known.set(text, found)
    return found
  }
}

/** Holds of texts that are in the pattern's form already. */
function formedGlob(pattern: string, isPath: boolean): (text: string) => boolean {
  if (!/[*?[]/.test(pattern)) return (text) => text === pattern
  // Nearly all patterns are these. In a path one star alone is more than its text says.
  const simple = (isPath ? /^((?:\*\*+)?)([^*?[]*)((?:\*\*+)?)$/ : /^(\**)([^*?[]*)(\**)$/).exec(pattern)
  if (simple) {
    const [, before = '', middle = '', behind = ''] = simple
    if (before && behind) return (text) => text.includes(middle)
    return before ? (text) => text.endsWith(middle) : (text) => text.startsWith(middle)
  }
  const steps = stepsOf(pattern, isPath)
  const literal = literalOf(steps)
  const program = programOf(steps, isPath)
  const find = remembered((text) => run(program, text))
  // 350 patterns of 60 new paths: what takes a path apart is done for those few that can hold.
  return (text) => text.includes(literal) && find(text)
}

/**
 * Compiles a pattern of `*`, `?` and `[...]`. The result takes time linear in the text (`run` says how much at most).
 * `ignoreCase`: whatever the case of either.
 */
export function glob(
  pattern: string,
  { ignoreCase = false }: { ignoreCase?: boolean } = {},
): (text: string) => boolean {
  const form = (text: string) => (ignoreCase ? text.toLowerCase() : text)
  const holds = formedGlob(form(pattern), false)
  // Frame after frame of an exception is asked for by one and the same value.
  let last: string | undefined
  let found = false
  return (text) => {
    if (text !== last) {
      last = text
      found = holds(form(text))
    }
    return found
  }
}

/** A path as patterns read it, as it is and from the root on: what asks for a folder before "src" finds "src/x", too. */
export type PathText = { text: string; rooted: string }

/** Made once for each frame: for each of 500 rules it would cost more than all of them. */
export function pathTextOf(path: string): PathText {
  const text = path.toLowerCase().replaceAll('\\', '/')
  return { text, rooted: text.startsWith('/') ? text : `/${text}` }
}

/**
 * Compiles a pattern of a path or package. Case and kind of slash do not matter; a star stays in a folder, two cross
 * folders.
 */
export function pathGlob(pattern: string): (path: PathText) => boolean {
  const formed = pathTextOf(pattern).text
  const holds = formedGlob(formed, true)
  // What begins so takes the slash of the root as well, or needs it.
  if (formed.startsWith('**') || formed.startsWith('/')) return ({ rooted }) => holds(rooted)
  return ({ text, rooted }) => holds(text) || (rooted !== text && holds(rooted))
}
