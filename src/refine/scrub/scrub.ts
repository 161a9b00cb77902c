import { format, formattedMax } from '../kinds/error/message.ts'
import type { Context } from '../pipeline/context.ts'
import type { Draft } from '../pipeline/draft.ts'
import { addMeta, type Loose, type MetaNotes, object, own, receivedDepthMax, type Sent } from '../pipeline/value.ts'
import { makeRules, type Rules, rulesKey } from './rules.ts'
import { scan } from './scan.ts'
import { filtered, scrubText } from './text.ts'

/**
 * How a part of the event is scrubbed. `all`: everything. `stack`: only data of people in a stack trace. `text`: only
 * secrets within texts, whatever the names above them (metadata notes mirror names, fingerprints have none). `hidden`:
 * also values that metadata notes keep below a secret name. `none`: only the nesting is cut.
 */
type Mode = 'all' | 'stack' | 'text' | 'hidden' | 'none'

/** Parts with code, ids and names of the program, not personal data. Aliases of old SDKs behave like their part. */
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

/** The destination of metadata notes, if any, and whether anything changed. */
type Trail = { metaNotes: MetaNotes | undefined; changed: boolean }

/**
 * Personal data in a stack trace; everything else there is code. Values and types of exceptions and names of threads
 * are sentences: secrets within them are removed, but no name above them makes the whole text a secret.
 */
const stackModes: ReadonlyMap<string, Mode> = new Map<string, Mode>([
  ...(['vars', 'data', 'meta', 'description'] as const).map((key): [string, Mode] => [key, 'all']),
  ...(['type', 'value', 'name'] as const).map((key): [string, Mode] => [key, 'text']),
])

/** Step: scrubs the normalized event (with notes) and the received JSON (in place; levels below 100 become a text). */
export function scrub(draft: Draft, context: Context): void {
  const rules = rulesOf(context)
  const oneLine = draft.sent !== undefined && isOneLine(draft.sent.text)
  if (oneLine && isHarmless(draft, context, rules)) return
  const event = draft.event as unknown as Loose
  const message = composedText(draft)
  // The walk would note the same secret a second time.
  if (message) message.formatted = ''
  // Metadata notes from the sender. Our own notes contain no values.
  scrubTree({ _meta: draft.metaNotes.meta }, rules, undefined)
  scrubTree(event, rules, draft.metaNotes)
  const changed = scrubTree(draft.received, rules, undefined)
  // A payload that was only suspect keeps its text: encoding it again costs a quarter of the event's time.
  if (changed || !oneLine) draft.sent = undefined
  if (message) scrubComposed(message, rules, draft.metaNotes)
}

/** Line breaks in JSON are only between values, because texts escape them. */
const isOneLine = (text: string): boolean => !text.includes('\n') && !text.includes('\r')

/** The project's rules. A worker gets settings once per batch, so the settings object mostly finds them. */
export function rulesOf({ settings, tools }: Context): Rules {
  const compiled = tools.rulesOf.get(settings)
  if (compiled) return compiled
  const key = rulesKey(settings)
  const rules = tools.rules.get(key) ?? makeRules(settings)
  tools.rules.set(key, rules)
  tools.rulesOf.set(settings, rules)
  return rules
}

/** Whether a payload's bytes show that no rule changes it. Only possible with the default rules. */
export const isPlain = (sent: Sent | undefined, rules: Rules): boolean =>
  sent !== undefined && !rules.byText && !rules.addresses && scan(sent.bytes)

/**
 * Whether the payload's bytes show that both walks would change nothing. Only possible with the default rules: own
 * words and addresses need the walks. Data from the sender's user agent must be as plain as the payload.
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

const isObject = (entry: unknown): entry is object => typeof entry === 'object' && entry !== null

/** Whether a value has more than `levels` levels of objects and lists. Never recurses deeper. */
function isDeeper(value: object, levels: number): boolean {
  if (levels <= 0) return true
  // A loop: `some` calls a function for each entry.
  if (Array.isArray(value)) {
    for (const entry of value) if (isObject(entry) && isDeeper(entry, levels - 1)) return true
    return false
  }
  // JSON has no inherited properties. Object.values makes a list for each object: 33 us instead of 5 for 12 kB.
  for (const key in value) {
    const entry = (value as Loose)[key]
    if (isObject(entry) && isDeeper(entry, levels - 1)) return true
  }
  return false
}

/**
 * The log entry if its text was built here from a template and parameters. It is rebuilt from the scrubbed parts. A
 * `formatted` from the client is scrubbed like any text.
 */
function composedText({ received, event }: Draft): NonNullable<Draft['event']['logentry']> | undefined {
  if (event.logentry?.message === undefined) return undefined
  const sent = object(
    own(received, 'logentry') ?? own(received, 'sentry.interfaces.Message') ?? own(received, 'message'),
  )
  const formatted = sent && own(sent, 'formatted')
  return formatted === undefined || formatted === null || formatted === '' ? event.logentry : undefined
}

/** Rebuilds the text from its scrubbed parts. */
function scrubComposed(entry: NonNullable<Draft['event']['logentry']>, rules: Rules, to: MetaNotes): void {
  const formatted = format(entry.message ?? '', entry.params ?? []).slice(0, formattedMax)
  const found = scrubText(formatted, rules)
  entry.formatted = found?.text ?? formatted
  if (found) addMeta({ ...to, path: ['logentry'] }, 'formatted', { rem: [[found.rule, 's']] })
}

/** Scrubs an event's JSON in place. Returns whether anything changed. With `metaNotes`, notes each change at its path. */
export function scrubTree(tree: Loose, rules: Rules, metaNotes: MetaNotes | undefined): boolean {
  const to: Trail = { metaNotes, changed: false }
  for (const key of Object.keys(tree)) {
    const mode = modes.get(key) ?? 'all'
    const value = tree[key]
    if (typeof value === 'string' || typeof value === 'number') {
      if (mode === 'all') leaf(tree, key, value, key, rules, to)
      else if (mode === 'text') textLeaf(tree, key, value, rules, to)
    } else if (typeof value === 'object' && value !== null)
      visit(tree, key, value, key, mode, rules, to, receivedDepthMax)
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
    const value = node[key]
    const inner = mode === 'stack' ? (stackModes.get(key) ?? mode) : mode
    if (typeof value === 'object' && value !== null)
      // A value that is no sentence but an object has names of its own: `raise Error({'password': 'x'})`.
      visit(node, key, value, key, mode === 'stack' && inner === 'text' ? 'all' : inner, rules, to, depth)
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
  to.metaNotes?.path.push(key)
  const { rule } = rules.about(name)
  if (rule && mode === 'all') blank(value as Loose, rule, to, depth - 1)
  else walk(value as Loose, name, rule && mode === 'text' ? 'hidden' : mode, rules, to, depth - 1)
  to.metaNotes?.path.pop()
}

/** Replaces everything below a secret name, but keeps shapes, because screens rely on them. */
function blank(node: Loose | unknown[], rule: string, to: Trail, depth: number): void {
  const slots = node as Record<string, unknown>
  for (const key of Object.keys(node)) {
    const value = slots[key]
    if (typeof value === 'object' && value !== null) {
      if (depth <= 1) {
        slots[key] = filtered
        to.changed = true
      } else {
        to.metaNotes?.path.push(key)
        blank(value as Loose, rule, to, depth - 1)
        to.metaNotes?.path.pop()
      }
    } else if ((typeof value === 'string' && value !== '' && key !== 'type') || typeof value === 'number')
      replace(slots, key, filtered, rule, to)
  }
}

function walkList(node: unknown[], name: string, mode: Mode, rules: Rules, to: Trail, depth: number): void {
  for (let i = 0; i < node.length; i++) {
    const value = node[i]
    if (typeof value === 'object' && value !== null) {
      const named = nameIn(value)
      // The deepest level is left to `visit`, which cuts it.
      if (mode !== 'all' || depth <= 1) visit(node, i, value, name, mode, rules, to, depth)
      // [name, value] in a list of pairs (headers, cookies, tags, queries): the name decides.
      else if (Array.isArray(value) && value.length === 2 && typeof value[0] === 'string')
        pair(value, value[0], i, rules, to, depth)
      else if (typeof named === 'string') namedValue(value as Loose, named, i, rules, to, depth)
      else visit(node, i, value, name, mode, rules, to, depth)
    } else if (mode === 'all') leaf(node, i, value, name, rules, to)
    else if (mode === 'text' || mode === 'hidden') textLeaf(node, i, value, rules, to)
  }
}

function pair(value: unknown[], name: string, index: number, rules: Rules, to: Trail, depth: number): void {
  to.metaNotes?.path.push(index)
  scrubValue(value, 1, value[1], name, rules, to, depth - 1)
  to.metaNotes?.path.pop()
}

/** `{key, value}` and `{name, value}`, which are other forms of a pair. */
const nameIn = (value: object): unknown => own(value as Loose, 'key') ?? own(value as Loose, 'name')

function namedValue(value: Loose, name: string, index: number, rules: Rules, to: Trail, depth: number): void {
  to.metaNotes?.path.push(index)
  for (const key of Object.keys(value))
    scrubValue(value, key, value[key], key === 'value' ? name : key, rules, to, depth - 1)
  to.metaNotes?.path.pop()
}

function scrubValue(
  parent: Loose | unknown[],
  key: string | number,
  value: unknown,
  name: string,
  rules: Rules,
  to: Trail,
  depth: number,
): void {
  if (typeof value === 'object' && value !== null) visit(parent, key, value, name, 'all', rules, to, depth)
  else leaf(parent, key, value, name, rules, to)
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
    // A number of tokens is not a token.
    if (rule && !/tokens$/i.test(name)) replace(parent, key, filtered, rule, to)
    else if (value >= 1e12) textLeaf(parent, key, value, rules, to)
  }
}

/** Scrubs a text, or a number that can be a card number, whatever its name. */
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
  const details = rules.about(name)
  if (details.exempt) return
  if (details.rule) replace(parent, key, filtered, details.rule, to)
  else if (rules.addresses && details.address) replace(parent, key, '[ip]', '@ip', to)
  else {
    const found = scrubText(value, rules)
    if (found) replace(parent, key, found.text, found.rule, to)
  }
}

function replace(parent: Loose | unknown[], key: string | number, text: string, rule: string, to: Trail): void {
  const slots = parent as Record<string | number, unknown>
  slots[key] = text
  to.changed = true
  if (to.metaNotes) addMeta(to.metaNotes, key, { rem: [[rule, 's']] })
}
