/**
 * Ownership rules (docs/triage.md), one per line: `path:src/checkout/* ann@example.com`. Pure: the settings page, the
 * API and the assignment job use it.
 */

export type OwnerRule = {
  /** From 1. */
  line: number
  /** Text of the rule, without its owners. */
  text: string
  kind: 'path' | 'module' | 'url' | 'tag'
  /** Key of a tag; '' for other kinds. */
  key: string
  /** In lower case: matching ignores case. */
  pattern: string
  /** E-mail addresses in lower case, in their written order. */
  owners: string[]
}
type OwnershipFault = { line: number; sentence: string }

export const ownershipCharactersMax = 50_000
const rulesMax = 500
const patternCharactersMax = 300
const ownersMax = 10
/** Maximum names of each kind to match, and characters of a path: addresses can have 2,048. */
export const ownedNamesMax = 30
const ownedPathCharactersMax = 256
/**
 * Maximum matching steps of all rules for one event, some milliseconds. They block the event loop of all organizations.
 * 500 rules need 1,200,000 steps for 30 paths of 80 characters. Only hostile input needs more.
 */
export const ownershipStepsMax = 2_000_000

/** The data that rules match. */
export type OwnedEvent = { paths: string[]; modules: string[]; url: string; tags: Record<string, string> }

const shape = /^(path|module|url|tags\.(?:"([^"]{1,200})"|([\w.:-]{1,200}))):(?:"([^"]*)"|(\S*))(\s.*)?$/s
const address = /^[^\s@,;]{1,64}@[^\s@,;]{1,190}$/

function readLine(text: string, line: number): OwnerRule | string {
  const found = shape.exec(text)
  if (!found)
    return 'A rule begins with path:, module:, url: or tags.NAME: and a pattern, then the e-mail addresses of its owners.'
  const [, word = '', quotedKey, plainKey, quoted, plain, trailing = ''] = found
  const pattern = quoted ?? plain ?? ''
  if (pattern === '') return 'There is no pattern after the colon.'
  if (pattern.length > patternCharactersMax) return `A pattern has at most ${patternCharactersMax} characters.`
  const owners = trailing.trim().split(/\s+/).filter(Boolean)
  if (owners.length === 0) return 'There is no owner: write an e-mail address after the pattern.'
  if (owners.length > ownersMax) return `A rule has at most ${ownersMax} owners.`
  const wrong = owners.find((owner) => !address.test(owner))
  if (wrong !== undefined) return `“${wrong.slice(0, 80)}” is not an e-mail address.`
  const kind = word === 'path' || word === 'module' || word === 'url' ? word : 'tag'
  const key = kind === 'tag' ? (quotedKey ?? plainKey ?? '') : ''
  const matched = text.slice(0, text.length - trailing.length)
  return {
    line,
    text: matched,
    kind,
    key,
    pattern: pattern.toLowerCase(),
    owners: owners.map((owner) => owner.toLowerCase()),
  }
}

/** Parses rules. Ignores empty lines and lines that start with #. Faulty lines become `faults`. */
export function readOwnership(text: string): { rules: OwnerRule[]; faults: OwnershipFault[] } {
  const rules: OwnerRule[] = []
  const faults: OwnershipFault[] = []
  for (const [at, raw] of text.split('\n').entries()) {
    const plain = raw.trim()
    if (plain === '' || plain.startsWith('#')) continue
    const read = readLine(plain, at + 1)
    if (typeof read === 'string') faults.push({ line: at + 1, sentence: read })
    else if (rules.length >= rulesMax) {
      faults.push({ line: at + 1, sentence: `There are at most ${rulesMax} rules.` })
      break
    } else rules.push(read)
  }
  return { rules, faults }
}

/** Remaining steps for an event. */
type Budget = { steps: number }

/**
 * Returns whether a pattern matches the whole text: `*` is any run of characters, `?` any single character. It uses no
 * regular expression, so its steps are at most the product of both lengths.
 */
export function globFits(pattern: string, path: string, budget: Budget): boolean {
  let at = 0
  let star = -1
  let resume = 0
  let i = 0
  while (i < path.length) {
    budget.steps--
    if (pattern[at] === '*') {
      star = at++
      resume = i
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === path[i])) {
      at++
      i++
    } else if (star >= 0) {
      at = star + 1
      i = ++resume
    } else return false
  }
  while (pattern[at] === '*') at++
  return at === pattern.length
}

/** Matches a pattern with the whole path, or its end after a slash: builds prepend a scheme and folders. */
function pathFits(pattern: string, path: string, budget: Budget): boolean {
  if (globFits(pattern, path, budget)) return true
  // A pattern that starts with * has already been tried on the end.
  return !/^[/*]/.test(pattern) && globFits(`*/${pattern}`, path, budget)
}

function ruleFits({ kind, key, pattern }: OwnerRule, event: OwnedEvent, budget: Budget): boolean {
  const anyFits = (texts: readonly string[], fits: typeof globFits) =>
    texts.some((text) => budget.steps > 0 && fits(pattern, text, budget))
  switch (kind) {
    case 'path':
      return anyFits(event.paths, pathFits)
    case 'module':
      return anyFits(event.modules, globFits)
    case 'url':
      return event.url !== '' && anyFits([event.url], globFits)
    case 'tag':
      return Object.hasOwn(event.tags, key) && anyFits([(event.tags[key] ?? '').toLowerCase()], globFits)
  }
}

/**
 * Returns the owner rule of an event: the last match, so that specific rules follow general ones. `overAt`: the line at
 * which the steps ran out; it is unknown whether that rule or an earlier one matches.
 */
export function ownerRuleOf(
  rules: readonly OwnerRule[],
  event: OwnedEvent,
): { rule: OwnerRule | undefined; overAt: number | undefined } {
  const budget: Budget = { steps: ownershipStepsMax }
  const lower = {
    paths: event.paths.map((path) => path.slice(-ownedPathCharactersMax).replaceAll('\\', '/').toLowerCase()),
    modules: event.modules.map((module) => module.toLowerCase()),
    url: event.url.toLowerCase(),
    tags: event.tags,
  }
  for (const rule of rules.toReversed()) {
    if (ruleFits(rule, lower, budget)) return { rule, overAt: undefined }
    if (budget.steps <= 0) return { rule: undefined, overAt: rule.line }
  }
  return { rule: undefined, overAt: undefined }
}
