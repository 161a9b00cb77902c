/** Reasons why a part of a grouping counts or not. docs/grouping.md and the screens have a sentence for each. */
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

/** A tree node: its kind, whether it counts and why, and its children or the hashed text. */
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
  /** Text of the stack-trace rule that decided. */
  rule?: string
  values: (GroupingNode | string)[]
}

/** Grouping settings of a project. All have defaults. */
export type GroupingRules = {
  fingerprintRules?: string | undefined
  stackRules?: string | undefined
  /** The version used for grouping. */
  version?: number | undefined
  /** The previous version. Its hashes are also looked up during the transition of the project. */
  secondary?: number | undefined
}

/** A grouping method for an event: whether it counts and why, its hash if it counts, and its tree. */
export type ExplainedVariant = {
  name: string
  contributes: boolean
  hint?: GroupingHint
  hash?: string
  why: string
  component: GroupingNode
}

/** Grouping of an event. `hashes`: the counting ones; the first decides the issue. `rule`: the matching rule. */
export type GroupingInfo = {
  version: number
  hashes: string[]
  rule?: string
  title?: string
  variants: ExplainedVariant[]
}

/** Data for comparing events: frames from the crash outwards, and words of types and values. */
export type Features = { frames: string[]; types: string[]; words: string[] }
export type Likeness = { stack: number; message: number; score: number }

/** Available grouping versions. docs/grouping.md describes them. */
export const groupingVersions = [1, 2, 3] as const
type GroupingVersion = (typeof groupingVersions)[number]
/** Version for new projects. */
export const newestGrouping: GroupingVersion = 3
/** Returns the API name of a version. */
export const groupingConfigOf = (version: number): string => `mishap:${version}`
/** Returns the version number of an API name. */
export const groupingVersionOf = (config: string): number => Number(config.slice('mishap:'.length))

/** Returns the counting texts of a tree in order. These are hashed. */
export function contributing(node: GroupingNode, into: string[] = []): string[] {
  if (!node.contributes) return into
  for (const value of node.values) {
    if (typeof value === 'string') into.push(value)
    else contributing(value, into)
  }
  return into
}
