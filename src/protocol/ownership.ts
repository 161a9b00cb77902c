/**
 * Rules of ownership (docs/triage.md): one a line, `path:src/checkout/* ann@example.com`. Pure; the settings page, the API
 * and the job that assigns all read them here.
 */

export type OwnerRule = {
  /** From 1. */
  line: number
  /** As it was written, without its owners. */
  text: string
  kind: 'path' | 'module' | 'url' | 'tag'
  /** Of a tag; '' for the others. */
  key: string
  pattern: string
  /** E-mail addresses, lower case, in the order of writing. */
  owners: string[]
}
export type OwnershipFault = { line: number; sentence: string }

export const ownershipCharactersMax = 50_000
const rulesMax = 500
const patternCharactersMax = 300
const ownersMax = 10

/** What rules are held against. */
export type OwnedEvent = { paths: string[]; modules: string[]; url: string; tags: Record<string, string> }

const shape = /^(path|module|url|tags\.(?:"([^"]{1,200})"|([\w.:-]{1,200}))):(?:"([^"]*)"|(\S*))(\s.*)?$/s
const address = /^[^\s@,;]{1,64}@[^\s@,;]{1,190}$/

function readLine(text: string, line: number): OwnerRule | string {
  const found = shape.exec(text)
  if (!found)
    return 'A rule begins with path:, module:, url: or tags.NAME: and a pattern, then the e-mail addresses of its owners.'
  const [, word = '', quotedKey, plainKey, quoted, plain, rest = ''] = found
  const pattern = quoted ?? plain ?? ''
  if (pattern === '') return 'There is no pattern behind the colon.'
  if (pattern.length > patternCharactersMax) return `A pattern has at most ${patternCharactersMax} characters.`
  const owners = rest.trim().split(/\s+/).filter(Boolean)
  if (owners.length === 0) return 'There is no owner: write an e-mail address behind the pattern.'
  if (owners.length > ownersMax) return `A rule has at most ${ownersMax} owners.`
  const wrong = owners.find((one) => !address.test(one))
  if (wrong !== undefined) return `“${wrong.slice(0, 80)}” is no e-mail address.`
  const kind = word === 'path' || word === 'module' || word === 'url' ? word : 'tag'
  const key = kind === 'tag' ? (quotedKey ?? plainKey ?? '') : ''
  const own = text.slice(0, text.length - rest.length)
  return { line, text: own, kind, key, pattern, owners: owners.map((one) => one.toLowerCase()) }
}

/** Reads rules; empty lines and those that begin with # say nothing. Lines with a fault are no rules. */
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

/**
 * Whether a pattern stands for the whole text: `*` for any run of characters, `?` for one, everything else for itself,
 * whatever its case. No regular expression: the time is at most the product of both lengths.
 */
export function globFits(pattern: string, text: string): boolean {
  const [wanted, given] = [pattern.toLowerCase(), text.toLowerCase()]
  let at = 0
  let star = -1
  let resume = 0
  let i = 0
  while (i < given.length) {
    if (wanted[at] === '*') {
      star = at++
      resume = i
    } else if (at < wanted.length && (wanted[at] === '?' || wanted[at] === given[i])) {
      at++
      i++
    } else if (star >= 0) {
      at = star + 1
      i = ++resume
    } else return false
  }
  while (wanted[at] === '*') at++
  return at === wanted.length
}

/** A path pattern stands for the whole path or for its end behind a slash: builds put a scheme and folders before it. */
function pathFits(pattern: string, path: string): boolean {
  const plain = path.replaceAll('\\', '/')
  if (globFits(pattern, plain)) return true
  return !pattern.startsWith('/') && globFits(`*/${pattern}`, plain)
}

function ruleFits({ kind, key, pattern }: OwnerRule, event: OwnedEvent): boolean {
  switch (kind) {
    case 'path':
      return event.paths.some((one) => pathFits(pattern, one))
    case 'module':
      return event.modules.some((one) => globFits(pattern, one))
    case 'url':
      return event.url !== '' && globFits(pattern, event.url)
    case 'tag':
      return Object.hasOwn(event.tags, key) && globFits(pattern, event.tags[key] ?? '')
  }
}

/** The rule that says whose an event is: the last one that fits, so that what is special stands below what is general. */
export const ownerRuleOf = (rules: readonly OwnerRule[], event: OwnedEvent): OwnerRule | undefined =>
  rules.findLast((one) => ruleFits(one, event))
