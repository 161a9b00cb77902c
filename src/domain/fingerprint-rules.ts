import { matchersMax, type RuleError, type RuleMatcher, type RuleScanner, readRules } from './alerts/rule-text.ts'

// The syntax of fingerprint rules (docs/grouping.md), as documented by Sentry.

const fingerprintKeys = [
  'type',
  'value',
  'message',
  'logger',
  'level',
  'sdk',
  'family',
  'release',
  'app',
  'module',
  'path',
  'package',
  'function',
] as const
type FingerprintKey = (typeof fingerprintKeys)[number] | `tags.${string}`
export type FingerprintMatcher = RuleMatcher<FingerprintKey>
/** A rule: all matchers must match. `title` becomes the title of the issue. */
export type FingerprintRule = {
  matchers: FingerprintMatcher[]
  fingerprint: string[]
  title?: string
  /** Text of the rule. */
  text: string
  /** From 1. */
  line: number
}

const aliases: ReadonlyMap<string, FingerprintKey> = new Map<string, FingerprintKey>([
  ['error.type', 'type'],
  ['error.value', 'value'],
  ['stack.module', 'module'],
  ['stack.abs_path', 'path'],
  ['stack.package', 'package'],
  ['stack.function', 'function'],
])
const entriesMax = 20

function keyOf(written: string): FingerprintKey | undefined {
  const name = written.toLowerCase()
  if (name.startsWith('tags.') && name.length > 5) return `tags.${written.slice(5)}`
  return aliases.get(name) ?? fingerprintKeys.find((fingerprintKey) => fingerprintKey === name)
}

/** Reads an entry: quoted, or bare up to a blank or comma. Blanks within `{{ }}` belong to it. */
function readEntry(scanner: RuleScanner): string {
  if (scanner.line[scanner.at] === '"') return scanner.value('an entry')
  const remaining = scanner.line.slice(scanner.at)
  const found = /^(?:\{\{\s{0,20}[\w.:-]{1,200}\s{0,20}\}\}|[^\s,"])+/.exec(remaining)?.[0]
  if (!found) return scanner.fail('expected an entry of the fingerprint')
  scanner.at += found.length
  return found
}

function title(scanner: RuleScanner): string | undefined {
  const at = scanner.at
  const bracket = scanner.take('[')
  if (!scanner.take('title=')) {
    scanner.at = at
    return undefined
  }
  const text = scanner.value('a title in quotes')
  if (bracket && !scanner.take(']')) scanner.fail('expected ]')
  return text
}

function readRule(scanner: RuleScanner): Omit<FingerprintRule, 'text' | 'line'> {
  const matchers: FingerprintMatcher[] = []
  while (scanner.more() && !scanner.take('->')) {
    matchers.push(
      scanner.matcher(
        keyOf,
        'error.type, error.value, message, logger, level, tags.NAME, sdk, family, app, release, stack.module, stack.abs_path, stack.package or stack.function',
      ),
    )
    if (matchers.length > matchersMax) scanner.fail(`a rule has at most ${matchersMax} matchers`)
  }
  if (matchers.length === 0) scanner.fail('expected a matcher such as error.type:"..."', 0)
  if (!scanner.line.slice(0, scanner.at).endsWith('->')) scanner.fail('expected -> and a fingerprint')
  const fingerprint: string[] = []
  let named: string | undefined
  // A comment can follow the entries.
  while (scanner.more() && !(fingerprint.length > 0 && scanner.take('#'))) {
    const found = title(scanner)
    if (found !== undefined) named = found
    else {
      fingerprint.push(readEntry(scanner))
      if (fingerprint.length > entriesMax) scanner.fail(`a fingerprint has at most ${entriesMax} entries`)
    }
    if (scanner.more()) scanner.take(',')
  }
  if (fingerprint.length === 0) scanner.fail('expected a fingerprint')
  return { matchers, fingerprint, ...(named === undefined ? {} : { title: named }) }
}

/** Parses the fingerprint rules of a text. Invalid ones are in `errors` with their position. */
export function readFingerprintRules(text: string): { rules: FingerprintRule[]; errors: RuleError[] } {
  return readRules(text, readRule)
}
