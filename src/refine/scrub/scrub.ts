import type { Context, Draft } from '../step.ts'
import { type Loose, object, own, type Remarks, receivedDepthMax, remark } from '../value.ts'
import { makeRules, type Rules, rulesKey } from './rules.ts'
import { scan } from './scan.ts'
import { filtered, scrubText } from './text.ts'

/** How a part of the event is scrubbed: everything; only data within a stack trace; only the nesting is cut. */
type Mode = 'all' | 'stack' | 'none'

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
      'fingerprint',
      'checksum',
      'transaction',
      'culprit',
      'findings',
      '_meta',
      'spans',
      'transaction_info',
      'measurements',
      'hpkp',
      'expectct',
      'expectstaple',
    ] as const
  ).map((key): [string, Mode] => [key, 'none']),
])

/** Data of people within a stack trace; everything else there is code. */
const stackData: ReadonlySet<string> = new Set(['vars', 'data', 'meta', 'description'])

/** Scrubs the normalized event (with remarks) and what was received (in place; levels below 100 become a text). */
export function scrub(draft: Draft, context: Context): void {
  const key = rulesKey(context.settings)
  let rules = context.tools.rules.get(key)
  if (!rules) {
    rules = makeRules(context.settings)
    context.tools.rules.set(key, rules)
  }
  if (isHarmless(draft, context, rules)) return
  draft.sent = undefined
  const event = draft.event as unknown as Loose
  scrubTree(event, rules, draft.remarks)
  scrubTree(draft.received, rules, undefined)
}

/**
 * Whether the bytes of the payload show that both walks would change nothing. Only for the default rules: own words and
 * addresses are looked for where they stand. What the sender's agent added to the event has to be as plain as the payload.
 */
function isHarmless(draft: Draft, context: Context, rules: Rules): boolean {
  const { sent, event } = draft
  if (!sent || event.csp || rules.byText || rules.addresses) return false
  const found = scan(sent.bytes)
  if (!found.harmless || !found.oneLine || found.depth > receivedDepthMax) return false
  const { userAgent, clientHints } = context.head
  const added = clientHints ? JSON.stringify([userAgent, clientHints]) : userAgent
  return !added || scan(Buffer.from(JSON.stringify(added))).harmless
}

/** Scrubs an event's JSON in place. With `to`, each change is remarked at its path. */
export function scrubTree(tree: Loose, rules: Rules, to: Remarks | undefined): void {
  for (const key of Object.keys(tree)) {
    const mode = modes.get(key) ?? 'all'
    const value = tree[key]
    if (typeof value === 'string') {
      if (mode === 'all') scrubString(tree, key, value, key, rules, to)
    } else if (typeof value === 'object' && value !== null) {
      to?.path.push(key)
      walk(value as Loose, key, mode, rules, to, receivedDepthMax)
      to?.path.pop()
    }
  }
  if (rules.addresses) scrubSdkAddress(tree)
}

function scrubSdkAddress(tree: Loose): void {
  const sdk = object(own(tree, 'sdk'))
  if (sdk && own(sdk, 'client_ip') !== undefined) sdk['client_ip'] = '[ip]'
}

function walk(
  node: Loose | unknown[],
  name: string,
  mode: Mode,
  rules: Rules,
  to: Remarks | undefined,
  depth: number,
): void {
  if (Array.isArray(node)) {
    walkList(node, name, mode, rules, to, depth)
    return
  }
  for (const key in node) {
    if (!Object.hasOwn(node, key)) continue
    const value = node[key]
    const inner = mode === 'stack' && stackData.has(key) ? 'all' : mode
    if (typeof value === 'object' && value !== null) visit(node, key, value, key, inner, rules, to, depth)
    else if (inner === 'all') leaf(node, key, value, key, rules, to)
  }
}

function visit(
  parent: Loose | unknown[],
  key: string | number,
  value: object,
  name: string,
  mode: Mode,
  rules: Rules,
  to: Remarks | undefined,
  depth: number,
): void {
  const slots = parent as Record<string | number, unknown>
  if (depth <= 1) {
    slots[key] = Array.isArray(value) ? '[Array: nested too deep]' : '[Object: nested too deep]'
    return
  }
  to?.path.push(key)
  const rule = mode === 'all' && !Array.isArray(parent) ? rules.about(name).rule : undefined
  if (rule) blank(value as Loose, rule, to, depth - 1)
  else walk(value as Loose, name, mode, rules, to, depth - 1)
  to?.path.pop()
}

/** Everything below a secret's name goes, but shapes stay: screens rely on them. */
function blank(node: Loose | unknown[], rule: string, to: Remarks | undefined, depth: number): void {
  const slots = node as Record<string, unknown>
  for (const key of Object.keys(node)) {
    const value = slots[key]
    if (typeof value === 'object' && value !== null) {
      if (depth <= 1) slots[key] = filtered
      else {
        to?.path.push(key)
        blank(value as Loose, rule, to, depth - 1)
        to?.path.pop()
      }
    } else if ((typeof value === 'string' && value !== '' && key !== 'type') || typeof value === 'number')
      replace(slots, key, filtered, rule, to)
  }
}

function walkList(
  node: unknown[],
  name: string,
  mode: Mode,
  rules: Rules,
  to: Remarks | undefined,
  depth: number,
): void {
  for (let i = 0; i < node.length; i++) {
    const value = node[i]
    if (typeof value === 'object' && value !== null) {
      // [name, value] in a list of pairs, as headers, cookies, tags and queries come: the name decides.
      if (mode === 'all' && Array.isArray(value) && value.length === 2 && typeof value[0] === 'string')
        pair(value, i, rules, to, depth)
      else if (mode === 'all' && isNamedValue(value)) namedValue(value as Loose, i, rules, to, depth)
      else visit(node, i, value, name, mode, rules, to, depth)
    } else if (mode === 'all' && typeof value === 'string') leaf(node, i, value, name, rules, to)
  }
}

function pair(value: unknown[], index: number, rules: Rules, to: Remarks | undefined, depth: number): void {
  to?.path.push(index)
  const content = value[1]
  const name = String(value[0])
  if (typeof content === 'object' && content !== null) visit(value, 1, content, name, 'all', rules, to, depth - 1)
  else leaf(value, 1, content, name, rules, to)
  to?.path.pop()
}

/** `{key, value}` and `{name, value}`: another way to write a pair. */
function isNamedValue(value: object): boolean {
  const loose = value as Loose
  return typeof own(loose, 'value') === 'string' && typeof (own(loose, 'key') ?? own(loose, 'name')) === 'string'
}

function namedValue(value: Loose, index: number, rules: Rules, to: Remarks | undefined, depth: number): void {
  to?.path.push(index)
  leaf(value, 'value', value['value'], String(own(value, 'key') ?? own(value, 'name')), rules, to)
  const rest = Object.keys(value).filter((key) => key !== 'value')
  for (const key of rest) {
    const one = value[key]
    if (typeof one === 'object' && one !== null) visit(value, key, one, key, 'all', rules, to, depth - 1)
    else leaf(value, key, one, key, rules, to)
  }
  to?.path.pop()
}

function leaf(
  parent: Loose | unknown[],
  key: string | number,
  value: unknown,
  name: string,
  rules: Rules,
  to: Remarks | undefined,
): void {
  if (typeof value === 'string') scrubString(parent, key, value, name, rules, to)
  else if (typeof value === 'number') {
    const { rule } = rules.about(name)
    // Counts of tokens are no tokens.
    if (rule && !/tokens$/i.test(name)) replace(parent, key, filtered, rule, to)
  }
}

function scrubString(
  parent: Loose | unknown[],
  key: string | number,
  value: string,
  name: string,
  rules: Rules,
  to: Remarks | undefined,
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

function replace(
  parent: Loose | unknown[],
  key: string | number,
  text: string,
  rule: string,
  to: Remarks | undefined,
): void {
  const slots = parent as Record<string | number, unknown>
  slots[key] = text
  if (to) remark(to, key, { rem: [[rule, 's']] })
}
