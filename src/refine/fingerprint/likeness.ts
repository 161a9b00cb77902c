import { contributing, type Features, type GroupingNode, type Likeness } from '../../domain/grouping.ts'
import { parameterize } from './v1/parameterize.ts'

/** Maximum frames and words that are compared. */
const framesMax = 30
const wordsMax = 100

function walk(node: GroupingNode, into: Features, within: boolean): void {
  const counts = within && node.contributes
  if (node.id === 'frame') {
    if (counts) into.frames.unshift(contributing(node).join(' '))
    return
  }
  for (const entry of node.values) {
    if (typeof entry !== 'string') walk(entry, into, counts || node.id === 'exception')
    else if (node.id === 'type') into.types.push(entry)
    else if (node.id === 'value' || node.id === 'message')
      into.words.push(
        ...(
          parameterize(entry)
            .toLowerCase()
            .match(/<\w+>|[\p{L}\p{N}_]+/gu) ?? []
        ).slice(0, wordsMax),
      )
  }
}

/** The features of an event from its grouping trees: of the first variant with frames, else with words. */
export function featuresOf(variants: readonly { name: string; component: GroupingNode }[]): Features {
  const features = variants.map(({ component }) => {
    const into: Features = { frames: [], types: [], words: [] }
    walk(component, into, true)
    return into
  })
  const best =
    features.find((entry) => entry.frames.length > 0) ?? features.find((entry) => entry.words.length > 0) ?? features[0]
  const { frames = [], types = [], words = [] } = best ?? {}
  return {
    frames: frames.slice(0, framesMax),
    types: [...new Set(types)],
    words: [...new Set(words)].slice(0, wordsMax),
  }
}

/** The share of common frames. Frames near the crash weigh more: the first 1, the next 1/2, then 1/3. */
function stackLikeness(a: readonly string[], b: readonly string[]): number {
  if (a.length === 0 || b.length === 0) return 0
  const weights = (list: readonly string[]) => {
    const counts = new Map<string, number>()
    for (const [at, entry] of list.entries()) if (!counts.has(entry)) counts.set(entry, 1 / (at + 1))
    return counts
  }
  const [left, right] = [weights(a), weights(b)]
  let both = 0
  let all = 0
  for (const key of new Set([...left.keys(), ...right.keys()])) {
    const [x, y] = [left.get(key) ?? 0, right.get(key) ?? 0]
    both += Math.min(x, y)
    all += Math.max(x, y)
  }
  return both / all
}

function shareOf(a: readonly string[], b: readonly string[]): number {
  const all = new Set([...a, ...b])
  if (all.size === 0) return 0
  const right = new Set(b)
  return a.filter((entry) => right.has(entry)).length / all.size
}

/** The similarity of two events, each value from 0 to 1. Without stacks on both sides, only the message counts. */
export function likeness(a: Features, b: Features): Likeness {
  const stack = stackLikeness(a.frames, b.frames)
  const message = 0.3 * shareOf(a.types, b.types) + 0.7 * shareOf(a.words, b.words)
  const score = a.frames.length > 0 && b.frames.length > 0 ? 0.7 * stack + 0.3 * message : message
  return { stack, message, score }
}
