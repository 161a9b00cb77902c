/** Why a part of a grouping counts or does not; docs/grouping.md and the screens have a sentence for each. */
export const groupingHints = [
  'not-in-app',
  'recursion',
  'rule-out',
  'rule-in',
  'over-max-frames',
  'under-min-frames',
  'low-quality',
  'single-frame-url',
  'no-frames',
  'module-first',
  'url-file',
  'anonymous-file',
  'page-module',
  'generated-module',
  'generated-cut',
  'anonymous-function',
  'function-trimmed',
  'context-first',
  'line-long',
  'line-of-page',
  'stack-first',
  'parameterized',
  'synthetic-type',
  'ns-error-first',
  'other-variant-first',
  'same-as-app',
  'no-stack',
  'fingerprint-first',
  'exception-first',
  'message-first',
  'wrapper',
  'one-cause',
  'build-cut',
  'no-component',
  'release-first',
  'any-skew',
  'no-release',
] as const
export type GroupingHint = (typeof groupingHints)[number]

/** Part of a tree: what it is, whether it counts, why, and its parts or the text that is hashed. */
export type GroupingNode = {
  id:
    | 'chained-exception'
    | 'exception'
    | 'type'
    | 'value'
    | 'ns-error'
    | 'stacktrace'
    | 'frame'
    | 'module'
    | 'filename'
    | 'function'
    | 'context-line'
    | 'threads'
    | 'message'
    | 'template'
    | 'csp'
    | 'fingerprint'
    | 'entry'
    | 'nothing'
    | 'cause'
    | 'component'
    | 'route'
    | 'skew'
    | 'release'
  contributes: boolean
  hint?: GroupingHint
  /** The stack-trace rule that decided, as it was written. */
  rule?: string
  values: (GroupingNode | string)[]
}

/** What a project says about grouping; all have defaults. */
export type GroupingRules = {
  fingerprintRules?: string | undefined
  stackRules?: string | undefined
  /** The version that groups. */
  version?: number | undefined
  /** The one before, whose hashes are looked up, too, while the project changes over. */
  secondary?: number | undefined
}

/** One way to group an event: whether it counts, why, its hash where it does, and its tree. */
export type ExplainedVariant = {
  name: string
  contributes: boolean
  hint?: GroupingHint
  hash?: string
  why: string
  component: GroupingNode
}

/** How an event is grouped. `hashes`: those that count, first the one that stands for the issue; `rule`: the fingerprint rule that matched. */
export type GroupingInfo = {
  version: number
  hashes: string[]
  rule?: string
  title?: string
  variants: ExplainedVariant[]
}

/** What is compared of two events: frames from the crash outwards, and words of types and values. */
export type Features = { frames: string[]; types: string[]; words: string[] }
export type Likeness = { stack: number; message: number; score: number }

/** Versions that a project may have; docs/grouping.md says what each is. */
export const groupingVersions = [1, 2, 3] as const
type GroupingVersion = (typeof groupingVersions)[number]
/** The version that new projects get. */
export const newestGrouping: GroupingVersion = 3
/** A version as the API and other tools name it. */
export const groupingConfigOf = (version: number): string => `mishap:${version}`
/** The number within such a name. */
export const groupingVersionOf = (config: string): number => Number(config.slice('mishap:'.length))

/** The texts of a tree that count, in order: what is hashed. */
export function contributing(node: GroupingNode, into: string[] = []): string[] {
  if (!node.contributes) return into
  for (const item of node.values) {
    if (typeof item === 'string') into.push(item)
    else contributing(item, into)
  }
  return into
}
