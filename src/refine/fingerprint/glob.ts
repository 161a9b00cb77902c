import { LRUCache } from 'lru-cache'

/** How a pattern is read. `path`: a star stays within a folder, two cross them, and both slashes are one. */
export type GlobOptions = { ignoreCase?: boolean; path?: boolean }

/** Answers that a pattern remembers. */
const knownMax = 200

type Step =
  | { kind: 'sign'; sign: string }
  | { kind: 'any' }
  | { kind: 'set'; signs: Set<string>; negated: boolean }
  | { kind: 'star' }
  | { kind: 'path-star' }

function setAt(pattern: string, at: number): { step: Step; next: number } | undefined {
  const end = pattern.indexOf(']', at + 2)
  if (end < 0) return undefined
  const inner = pattern.slice(at + 1, end)
  const negated = inner.startsWith('!') || inner.startsWith('^')
  const signs = new Set<string>()
  const body = negated ? inner.slice(1) : inner
  for (let i = 0; i < body.length; i++) {
    const [from, to] = [body.charCodeAt(i), body.charCodeAt(i + 2)]
    if (body[i + 1] === '-' && i + 2 < body.length && to >= from && to - from < 256) {
      for (let code = from; code <= to; code++) signs.add(String.fromCharCode(code))
      i += 2
    } else signs.add(body[i] ?? '')
  }
  return { step: { kind: 'set', signs, negated }, next: end + 1 }
}

function stepsOf(pattern: string, isPath: boolean): Step[] {
  const steps: Step[] = []
  for (let at = 0; at < pattern.length; ) {
    const sign = pattern[at] ?? ''
    const set = sign === '[' ? setAt(pattern, at) : undefined
    if (set) {
      steps.push(set.step)
      at = set.next
    } else if (sign === '*') {
      let end = at
      while (pattern[end] === '*') end++
      const kind = isPath && end - at === 1 ? 'path-star' : 'star'
      steps.push({ kind })
      at = end
    } else {
      steps.push(sign === '?' ? { kind: 'any' } : { kind: 'sign', sign })
      at++
    }
  }
  return steps
}

/**
 * All places of the pattern that the text may be at are followed at once, so the time is at most the length of the text
 * times that of the pattern, whatever they are.
 */
function run(steps: readonly Step[], text: string, isPath: boolean): boolean {
  let here = new Uint8Array(steps.length + 1)
  let next = new Uint8Array(steps.length + 1)
  const enter = (set: Uint8Array, from: number) => {
    for (let at = from; ; at++) {
      set[at] = 1
      const kind = steps[at]?.kind
      if (kind !== 'star' && kind !== 'path-star') return
    }
  }
  enter(here, 0)
  for (const sign of text) {
    next.fill(0)
    let alive = false
    for (let at = 0; at < steps.length; at++) {
      const step = here[at] ? steps[at] : undefined
      if (!step || !holds(step, sign, isPath)) continue
      alive = true
      enter(next, step.kind === 'star' || step.kind === 'path-star' ? at : at + 1)
    }
    if (!alive) return false
    ;[here, next] = [next, here]
  }
  return here[steps.length] === 1
}

function holds(step: Step, sign: string, isPath: boolean): boolean {
  switch (step.kind) {
    case 'star':
      return true
    case 'path-star':
      return sign !== '/'
    case 'any':
      return !isPath || sign !== '/'
    case 'set':
      return step.signs.has(sign) !== step.negated
    default:
      return step.sign === sign
  }
}

/** Compiles a pattern of `*`, `**`, `?` and `[...]`. The result takes time linear in the text. */
export function glob(
  pattern: string,
  { ignoreCase = false, path: isPath = false }: GlobOptions = {},
): (text: string) => boolean {
  const form = (text: string) => {
    const cased = ignoreCase ? text.toLowerCase() : text
    return isPath ? cased.replaceAll('\\', '/') : cased
  }
  const formed = form(pattern)
  if (!/[*?[]/.test(formed)) return (text) => form(text) === formed
  // Nearly all patterns are these.
  const simple = isPath ? undefined : /^(\**)([^*?[]*)(\**)$/.exec(formed)
  if (simple) {
    const [, before = '', middle = '', behind = ''] = simple
    if (before && behind) return (text) => form(text).includes(middle)
    return before ? (text) => form(text).endsWith(middle) : (text) => form(text).startsWith(middle)
  }
  const steps = stepsOf(formed, isPath)
  // The same paths come with every event of a project.
  const known = new LRUCache<string, boolean>({ max: knownMax })
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const found = run(steps, form(text), isPath)
    known.set(text, found)
    return found
  }
}
