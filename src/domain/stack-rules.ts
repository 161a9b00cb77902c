import { matchersMax, type RuleError, type RuleMatcher, type RuleScanner, readRules } from './alerts/rule-text.ts'

// The syntax of stack-trace rules (docs/grouping.md), as documented by Sentry.

const stackKeys = [
  'family',
  'module',
  'function',
  'path',
  'package',
  'category',
  'app',
  'type',
  'value',
  'mechanism',
] as const
type StackKey = (typeof stackKeys)[number]
export type StackMatcher = RuleMatcher<StackKey>
/** `range`: up is all frames towards the crash, down all frames towards the caller, from the matching frame. */
type FlagAction = { kind: 'app' | 'group'; flag: boolean; range: 'up' | 'down' | undefined }
export type StackAction =
  | FlagAction
  | { kind: 'category'; value: string }
  | { kind: 'max-frames' | 'min-frames'; value: number }
  | { kind: 'invert-stacktrace'; value: boolean }
/** A rule: conditions on a frame, its caller and its callee, and the actions. */
export type StackRule = {
  matchers: StackMatcher[]
  caller?: StackMatcher[]
  callee?: StackMatcher[]
  actions: StackAction[]
  text: string
  line: number
}

const aliases: ReadonlyMap<string, StackKey> = new Map<string, StackKey>([
  ['stack.module', 'module'],
  ['stack.function', 'function'],
  ['stack.abs_path', 'path'],
  ['stack.package', 'package'],
  ['error.type', 'type'],
  ['error.value', 'value'],
  ['error.mechanism', 'mechanism'],
])
const framesMax = 250

const keyOf = (written: string): StackKey | undefined =>
  aliases.get(written.toLowerCase()) ?? stackKeys.find((stackKey) => stackKey === written.toLowerCase())

const isTrue: ReadonlySet<string> = new Set(['1', 'yes', 'true'])
const isFalse: ReadonlySet<string> = new Set(['0', 'no', 'false'])

function matcher(scanner: RuleScanner, stop = ''): StackMatcher {
  const at = scanner.at
  const found = scanner.matcher(
    keyOf,
    'family, stack.module, stack.function, stack.abs_path, stack.package, category, app, error.type, error.value or error.mechanism',
    stop,
  )
  if (found.key !== 'app') return found
  const value = found.pattern.toLowerCase()
  if (!isTrue.has(value) && !isFalse.has(value)) return scanner.fail('expected app:yes or app:no', at)
  return { ...found, pattern: isTrue.has(value) ? 'yes' : 'no' }
}

/** Reads `[ matcher ... ]`, the condition on a neighbouring frame. */
function neighbour(scanner: RuleScanner): StackMatcher[] {
  const out: StackMatcher[] = []
  while (scanner.more()) {
    if (scanner.take(']')) return out
    out.push(matcher(scanner, ']'))
    if (out.length > matchersMax) scanner.fail(`a rule has at most ${matchersMax} matchers`)
  }
  return scanner.fail('expected ]')
}

function numberOf(scanner: RuleScanner, max: number): number {
  const at = scanner.at
  const text = scanner.value('a number')
  if (!/^\d{1,3}$/.test(text) || Number(text) > max) scanner.fail(`expected a number from 0 to ${max}`, at)
  return Number(text)
}

function action(scanner: RuleScanner): StackAction {
  const flag = /^([v^]?)([+-])(app|group)(?=\s|$)/.exec(scanner.line.slice(scanner.at, scanner.at + 10))
  if (flag) {
    scanner.at += flag[0].length
    const range = flag[1] === '^' ? 'up' : flag[1] === 'v' ? 'down' : undefined
    return { kind: flag[3] === 'app' ? 'app' : 'group', flag: flag[2] === '+', range }
  }
  if (scanner.take('category=')) {
    const at = scanner.at
    const value = scanner.value('a category')
    if (!/^[\w-]{1,64}$/.test(value)) scanner.fail('a category is a word', at)
    return { kind: 'category', value }
  }
  for (const kind of ['max-frames', 'min-frames'] as const)
    if (scanner.take(`${kind}=`)) return { kind, value: numberOf(scanner, framesMax) }
  if (scanner.take('invert-stacktrace=')) return { kind: 'invert-stacktrace', value: numberOf(scanner, 1) === 1 }
  return scanner.fail(
    'expected an action: +app, -app, +group, -group, with ^ or v in front for a range, category=, max-frames=, min-frames= or invert-stacktrace=',
  )
}

const beginsAction = /^(?:[v^]?[+-]|category=|max-frames=|min-frames=|invert-stacktrace=)/

function readRule(scanner: RuleScanner): Omit<StackRule, 'text' | 'line'> {
  const matchers: StackMatcher[] = []
  const rule: { caller?: StackMatcher[]; callee?: StackMatcher[] } = {}
  if (scanner.more() && scanner.take('[')) {
    rule.caller = neighbour(scanner)
    if (!scanner.more() || !scanner.take('|')) scanner.fail('expected |')
  }
  while (scanner.more() && !beginsAction.test(scanner.line.slice(scanner.at, scanner.at + 20))) {
    if (scanner.take('|')) {
      if (!scanner.more() || !scanner.take('[')) scanner.fail('expected [')
      rule.callee = neighbour(scanner)
      break
    }
    matchers.push(matcher(scanner))
    if (matchers.length > matchersMax) scanner.fail(`a rule has at most ${matchersMax} matchers`)
  }
  if (matchers.length === 0) scanner.fail('expected a matcher such as stack.function:...')
  const actions: StackAction[] = []
  // A comment can follow the actions.
  while (scanner.more() && !(actions.length > 0 && scanner.take('#'))) {
    actions.push(action(scanner))
    if (actions.length > matchersMax) scanner.fail(`a rule has at most ${matchersMax} actions`)
  }
  if (actions.length === 0) scanner.fail('expected an action: +app, -app, +group or -group')
  return { matchers, ...rule, actions }
}

/** Parses the stack-trace rules of a text. Invalid ones are in `errors` with their position. */
export function readStackRules(text: string): { rules: StackRule[]; errors: RuleError[] } {
  return readRules(text, readRule)
}
