import { format, formattedMax } from '../kinds/error/message.ts'
import type { Context } from '../pipeline/context.ts'
import type { Draft } from '../pipeline/draft.ts'
import { type Loose, object, own, type Remarks, receivedDepthMax, remark, type Sent } from '../pipeline/value.ts'
import { makeRules, type Rules, rulesKey } from './rules.ts'
import { scan } from './scan.ts'
import { filtered, scrubText } from './text.ts'

/**
 * How a part of the event is scrubbed: everything; only data within a stack trace; only what stands in texts, whatever
 * the names above them (remarks mirror names, fingerprints have none), and below a secret's name also the values that
 * remarks keep; only the nesting is cut.
 */
type Mode = 'all' | 'stack' | 'text' | 'hidden' | 'none'

/** Parts that are code, ids and names of the program, not data of people. Aliases of old SDKs behave like their part. */
const modes: ReadonlyMap<string, Mode> = new Map<string, Mode>([
  ...(
    [
      'exception',
      'threads',
      'stacktrace',
      'sentry.interfaces.Exception',
      'sentry.interfaces.Stacktrace',
      'sentry.interfaces.Threads',
    ] as const
  ).map((key): [string, Mode] => [key, 'stack']),
  ...(
    [
      'event_id',
      'timestamp',
      'received',
      'platform',
      'level',
      'type',
      'logger',
      'release',
      'dist',
      'environment',
      'modules',
      'sdk',
      'debug_meta',
      'checksum',
      'findings',
      'spans',
      'transaction_info',
      'measurements',
      'hpkp',
      'expectct',
      'expectstaple',
    ] as const
  ).map((key): [string, Mode] => [key, 'none']),
  ['fingerprint', 'text'],
  ['_meta', 'text'],
])

/** Where changes are remarked, if anywhere, and whether there were any. */
type Trail = { remarks: Remarks | undefined; changed: boolean }

/**
 * Data of people within a stack trace; everything else there is code. Values and types of exceptions and names of threads
 * are sentences: secrets within them go, but no name above them marks the whole text as a secret.
 */
const stackModes: ReadonlyMap<string, Mode> = new Map<string, Mode>([
  ...(['vars', 'data', 'meta', 'description'] as const).map((key): [string, Mode] => [key, 'all']),
  ...(['type', 'value', 'name'] as const).map((key): [string, Mode] => [key, 'text']),
])

/** Scrubs the normalized event (with remarks) and what was received (in place; levels below 100 become a text). */
export function scrub(draft: Draft, context: Context): void {
  const rules = rulesOf(context)
  const oneLine = draft.sent !== undefined && isOneLine(draft.sent.text)
  if (oneLine && isHarmless(draft, context, rules)) return
  const event = draft.event as unknown as Loose
  const made = madeText(draft)
  // what the sender remarked itself; our own remarks hold no values
  scrubTree({ _meta: draft.remarks.meta }, rules, undefined)
  scrubTree(event, rules, draft.remarks)
  const changed = scrubTree(draft.received, rules, undefined)
  // a payload that was only suspect keeps its text: writing it anew costs a quarter of the event
  if (changed || !oneLine) draft.sent = undefined
  if (made) scrubMade(made, rules, draft.remarks)
}

/** A line break in JSON stands between values: within texts it is escaped. */
const isOneLine = (text: string): boolean => !text.includes('\n') && !text.includes('\r')

/** The rules of the project; a worker has its settings once a batch, so they are mostly known by the object. */
export function rulesOf({ settings, tools }: Context): Rules {
  const known = tools.rulesOf.get(settings)
  if (known) return known
  const key = rulesKey(settings)
  const rules = tools.rules.get(key) ?? makeRules(settings)
  tools.rules.set(key, rules)
  tools.rulesOf.set(settings, rules)
  return rules
}

/** Whether the bytes of a payload show that no rule changes anything of it. Only for the default rules. */
export const isPlain = (sent: Sent | undefined, rules: Rules): boolean =>
  sent !== undefined && !rules.byText && !rules.addresses && scan(sent.bytes)

/**
 * Whether the bytes of the payload show that both walks would change nothing. Only for the default rules: own words and
 * addresses are looked for where they stand. What the sender's agent added to the event has to be as plain as the payload.
 */
function isHarmless(draft: Draft, context: Context, rules: Rules): boolean {
  const { sent, event } = draft
  if (!sent || event.csp || rules.byText || rules.addresses) return false
  if (!scan(sent.bytes) || isDeeper(draft.received, receivedDepthMax)) return false
  const { userAgent, clientHints } = context.head
  const added = clientHints ? JSON.stringify([userAgent, clientHints]) : userAgent
  if (!added) return true
  const { plainAgents } = context.tools
  let plain = plainAgents.get(added)
  if (plain === undefined) {
    plain = scan(Buffer.from(JSON.stringify(added)))
    plainAgents.set(added, plain)
  }
  return plain
}

/** Whether a value has more than `levels` levels of objects and lists; never recurses over that. */
function isDeeper(value: object, levels: number): boolean {
  if (levels <= 0) return true
  if (Array.isArray(value)) {
    for (const entry of value)
      if (typeof entry === 'object' && entry !== null && isDeeper(entry, levels - 1)) return true
    return false
  }
  for (const key in value) {
    const entry = (value as Loose)[key]
    if (typeof entry === 'object' && entry !== null && isDeeper(entry, levels - 1)) return true
  }
  return false
}

/**
 * The log entry, when its text was made here, of a template and its parameters: it is made again of the scrubbed ones.
 * A `formatted` that a client sent is scrubbed as any text.
 */
function madeText({ received, event }: Draft): NonNullable<Draft['event']['logentry']> | undefined {
  if (event.logentry?.formatted === undefined) return undefined
  const sent = object(
    own(received, 'logentry') ?? own(received, 'sentry.interfaces.Message') ?? own(received, 'message'),
  )
  const formatted = sent && own(sent, 'formatted')
  return formatted === undefined || formatted === null || formatted === '' ? event.logentry : undefined
}

/** The made text once more, of what is left of its parts. */
function scrubMade(entry: NonNullable<Draft['event']['logentry']>, rules: Rules, to: Remarks): void {
  if (entry.message !== undefined && entry.params !== undefined)
    entry.formatted = format(entry.message, entry.params).slice(0, formattedMax)
  const found = scrubText(entry.formatted ?? '', rules)
  if (!found) return
  entry.formatted = found.text
  remark({ ...to, path: ['logentry'] }, 'formatted', { rem: [[found.rule, 's']] })
}

/** Scrubs an event's JSON in place; returns whether anything changed. With `remarks`, each change is remarked at its path. */
export function scrubTree(tree: Loose, rules: Rules, remarks: Remarks | undefined): boolean {
  const to: Trail = { remarks, changed: false }
  for (const key of Object.keys(tree)) {
    const mode = modes.get(key) ?? 'all'
    const value = tree[key]
    if (typeof value === 'string' || typeof value === 'number') {
      if (mode === 'all') leaf(tree, key, value, key, rules, to)
      else if (mode === 'text') textLeaf(tree, key, value, rules, to)
    } else if (typeof value === 'object' && value !== null) {
      to.remarks?.path.push(key)
      walk(value as Loose, key, mode, rules, to, receivedDepthMax)
      to.remarks?.path.pop()
    }
  }
  if (rules.addresses) scrubSdkAddress(tree, to)
  return to.changed
}

function scrubSdkAddress(tree: Loose, to: Trail): void {
  const sdk = object(own(tree, 'sdk'))
  if (!sdk || own(sdk, 'client_ip') === undefined) return
  sdk['client_ip'] = '[ip]'
  to.changed = true
}

function walk(node: Loose | unknown[], name: string, mode: Mode, rules: Rules, to: Trail, depth: number): void {
  if (Array.isArray(node)) {
    walkList(node, name, mode, rules, to, depth)
    return
  }
  for (const key in node) {
    if (!Object.hasOwn(node, key)) continue
    const value = node[key]
    const inner = mode === 'stack' ? (stackModes.get(key) ?? mode) : mode
    if (typeof value === 'object' && value !== null) visit(node, key, value, key, inner, rules, to, depth)
    else if (inner === 'all') leaf(node, key, value, key, rules, to)
    else if (inner === 'hidden' && key === 'val') replace(node, key, filtered, '@password', to)
    else if (inner === 'text' || inner === 'hidden') textLeaf(node, key, value, rules, to)
  }
}

function visit(
  parent: Loose | unknown[],
  key: string | number,
  value: object,
  name: string,
  mode: Mode,
  rules: Rules,
  to: Trail,
  depth: number,
): void {
  const slots = parent as Record<string | number, unknown>
  if (depth <= 1) {
    slots[key] = Array.isArray(value) ? '[Array: nested too deep]' : '[Object: nested too deep]'
    to.changed = true
    return
  }
  to.remarks?.path.push(key)
  const rule = mode === 'all' && !Array.isArray(parent) ? rules.about(name).rule : undefined
  if (rule) blank(value as Loose, rule, to, depth - 1)
  else {
    const hidden = mode === 'text' && rules.about(name).rule !== undefined
    walk(value as Loose, name, hidden ? 'hidden' : mode, rules, to, depth - 1)
  }
  to.remarks?.path.pop()
}

/** Everything below a secret's name goes, but shapes stay: screens rely on them. */
function blank(node: Loose | unknown[], rule: string, to: Trail, depth: number): void {
  const slots = node as Record<string, unknown>
  for (const key of Object.keys(node)) {
    const value = slots[key]
    if (typeof value === 'object' && value !== null) {
      if (depth <= 1) {
        slots[key] = filtered
        to.changed = true
      } else {
        to.remarks?.path.push(key)
        blank(value as Loose, rule, to, depth - 1)
        to.remarks?.path.pop()
      }
    } else if ((typeof value === 'string' && value !== '' && key !== 'type') || typeof value === 'number')
      replace(slots, key, filtered, rule, to)
  }
}

function walkList(node: unknown[], name: string, mode: Mode, rules: Rules, to: Trail, depth: number): void {
  for (let i = 0; i < node.length; i++) {
    const value = node[i]
    if (typeof value === 'object' && value !== null) {
      // [name, value] in a list of pairs, as headers, cookies, tags and queries come: the name decides.
      if (mode === 'all' && Array.isArray(value) && value.length === 2 && typeof value[0] === 'string')
        pair(value, i, rules, to, depth)
      else if (mode === 'all' && isNamedValue(value)) namedValue(value as Loose, i, rules, to, depth)
      else visit(node, i, value, name, mode, rules, to, depth)
    } else if (mode === 'all') leaf(node, i, value, name, rules, to)
    else if (mode === 'text' || mode === 'hidden') textLeaf(node, i, value, rules, to)
  }
}

function pair(value: unknown[], index: number, rules: Rules, to: Trail, depth: number): void {
  to.remarks?.path.push(index)
  const content = value[1]
  const name = String(value[0])
  if (typeof content === 'object' && content !== null) visit(value, 1, content, name, 'all', rules, to, depth - 1)
  else leaf(value, 1, content, name, rules, to)
  to.remarks?.path.pop()
}

/** `{key, value}` and `{name, value}`: another way to write a pair. */
function isNamedValue(value: object): boolean {
  const loose = value as Loose
  return typeof own(loose, 'value') === 'string' && typeof (own(loose, 'key') ?? own(loose, 'name')) === 'string'
}

function namedValue(value: Loose, index: number, rules: Rules, to: Trail, depth: number): void {
  to.remarks?.path.push(index)
  leaf(value, 'value', value['value'], String(own(value, 'key') ?? own(value, 'name')), rules, to)
  const rest = Object.keys(value).filter((key) => key !== 'value')
  for (const key of rest) {
    const entry = value[key]
    if (typeof entry === 'object' && entry !== null) visit(value, key, entry, key, 'all', rules, to, depth - 1)
    else leaf(value, key, entry, key, rules, to)
  }
  to.remarks?.path.pop()
}

function leaf(
  parent: Loose | unknown[],
  key: string | number,
  value: unknown,
  name: string,
  rules: Rules,
  to: Trail,
): void {
  if (typeof value === 'string') scrubString(parent, key, value, name, rules, to)
  else if (typeof value === 'number') {
    const { rule } = rules.about(name)
    // Counts of tokens are no tokens.
    if (rule && !/tokens$/i.test(name)) replace(parent, key, filtered, rule, to)
    else if (value >= 1e12) textLeaf(parent, key, value, rules, to)
  }
}

/** A text, or a number that may be a card's, whatever its name is. */
function textLeaf(parent: Loose | unknown[], key: string | number, value: unknown, rules: Rules, to: Trail): void {
  if (typeof value !== 'string' && typeof value !== 'number') return
  const found = scrubText(String(value), rules)
  if (found) replace(parent, key, found.text, found.rule, to)
}

function scrubString(
  parent: Loose | unknown[],
  key: string | number,
  value: string,
  name: string,
  rules: Rules,
  to: Trail,
): void {
  if (value === '' || value === filtered) return
  const facts = rules.about(name)
  if (facts.exempt) return
  if (facts.rule) replace(parent, key, filtered, facts.rule, to)
  else if (rules.addresses && facts.address) replace(parent, key, '[ip]', '@ip', to)
  else {
    const found = scrubText(value, rules)
    if (found) replace(parent, key, found.text, found.rule, to)
  }
}

function replace(parent: Loose | unknown[], key: string | number, text: string, rule: string, to: Trail): void {
  const slots = parent as Record<string | number, unknown>
  slots[key] = text
  to.changed = true
  if (to.remarks) remark(to.remarks, key, { rem: [[rule, 's']] })
}
