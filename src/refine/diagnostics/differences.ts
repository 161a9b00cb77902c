import type { Difference } from '../../domain/diagnostics.ts'
import type { Json } from '../../wire/json.ts'
import { attributeValue, collapse, partsOf } from './markup.ts'
import { misplacedIn } from './nesting.ts'
import { short } from './texts.ts'

/** A mismatch in a text: differences, components around the first one (nearest first), and invalid nesting. */
export type Mismatch = { differences: Difference[]; components: string[]; nesting?: string | undefined }

const differencesMax = 10
const linesMax = 400

/** React 19's message for attributes only. Its diff shows text in such a tag as the browser's even if both agree. */
const attributesAlone = 'A tree hydrated but some attributes'
/** After this address, React 19 writes the expected tree with the differences in it. */
const diffMark = 'hydration-mismatch'

/**
 * The differences in React 19's diff: lines of `+` (browser) and `-` (server) within the lines of the tree. Undefined
 * if the text has none, as in production builds.
 */
export function fromDiff(text: string): Mismatch | undefined {
  const mark = text.indexOf(diffMark)
  if (mark < 0) return undefined
  const lines = text.slice(text.indexOf('\n', mark) + 1).split('\n', linesMax)
  if (text.indexOf('\n', mark) < 0 || !lines.some((line) => /^[+-] /.test(line))) return undefined
  const open: { indent: number; name: string }[] = []
  const differences: Difference[] = []
  let components: string[] | undefined
  let inObject = false
  for (let i = 0; i < lines.length; ) {
    const line = lines[i] ?? ''
    if (/^[+-] /.test(line)) {
      components ??= open.map((entry) => entry.name).reverse()
      const end = runEnd(lines, i)
      differences.push(...paired(lines.slice(i, end), inObject))
      i = end
      continue
    }
    // Keys of a style or another object have the form `key: value`. A text can look like that, too.
    inObject = line.endsWith('={{') || (inObject && !line.endsWith('}}'))
    const tag = /^(\s{2,400})<([\w$.:()-]{1,100})/.exec(line)
    if (tag) {
      const indent = tag[1]?.length ?? 0
      while ((open.at(-1)?.indent ?? -1) >= indent) open.pop()
      open.push({ indent, name: tag[2] ?? '' })
    }
    i += 1
  }
  const attributes = differences.filter((difference) => difference.what === 'attribute')
  const whole = attributes.length > 0 && text.includes(attributesAlone) ? attributes : differences
  return { differences: nonEmpty(whole), components: components ?? [] }
}

function runEnd(lines: readonly string[], from: number): number {
  let end = from
  while (end < lines.length && /^[+-] /.test(lines[end] ?? '')) end += 1
  return end
}

type DiffEntry = { what: 'text' | 'attribute' | 'element'; name?: string; value: string }

/** The differences of one run of lines. Two sides with the same kind and name form one difference. */
function paired(lines: readonly string[], inObject: boolean): Difference[] {
  const [client, server] = ['+', '-'].map((sign) =>
    diffEntriesOf(
      lines.filter((line) => line.startsWith(sign)),
      inObject,
    ),
  ) as [DiffEntry[], DiffEntry[]]
  const left = [...server]
  const out: Difference[] = client.map(({ what, name, value }) => {
    const at = left.findIndex((entry) => entry.what === what && entry.name === name)
    const [other] = at < 0 ? [] : left.splice(at, 1)
    return { what, ...(name ? { name } : {}), ...(other ? { server: other.value } : {}), client: value }
  })
  return [...out, ...left.map(({ what, name, value }) => ({ what, ...(name ? { name } : {}), server: value }))]
}

function diffEntriesOf(lines: readonly string[], inObject: boolean): DiffEntry[] {
  const isAttribute = inObject ? /^([\w"$-][\w".:$-]{0,100}): (.+)$/s : /^([A-Za-z_][\w:.-]{0,100})=(["{].*)$/s
  const out: DiffEntry[] = []
  let inTag = false
  for (const line of lines) {
    const text = line.slice(1).trim()
    if (inTag) {
      inTag = !text.endsWith('>')
      continue
    }
    if (/^<[\w$.:-]/.test(text)) {
      out.push({ what: 'element', value: text })
      inTag = !text.endsWith('>')
      continue
    }
    const attribute = isAttribute.exec(text)
    if (attribute?.[1]) out.push({ what: 'attribute', name: attribute[1], value: unquoted(attribute[2] ?? '') })
    else if (text && text !== '>' && text !== '...') out.push({ what: 'text', value: unquoted(text) })
  }
  return out
}

/** Reduces `{"a"}` and `"a"` to a. */
function unquoted(text: string): string {
  const inner = text.startsWith('{') && text.endsWith('}') ? text.slice(1, -1) : text
  if (!/^".*"$/s.test(inner)) return inner
  try {
    return String(JSON.parse(inner))
  } catch {
    return inner.slice(1, -1)
  }
}

/** The text between two markers, and where it ends: `between(text, 'Server: "', '" Client: "')`; else undefined. */
function between(text: string, before: string, after: string, from = 0): { text: string; end: number } | undefined {
  const start = text.indexOf(before, from)
  const end = start < 0 ? -1 : text.indexOf(after, start + before.length)
  return end < 0 ? undefined : { text: text.slice(start + before.length, end), end: end + after.length }
}

/** The difference in a React 18 warning whose arguments are filled in. */
export function fromSentence(text: string): Mismatch | undefined {
  const found = textSentence(text) ?? attributeSentence(text) ?? elementSentence(text)
  return found ? { differences: nonEmpty(found), components: [], nesting: misplacedIn(text) } : undefined
}

function textSentence(text: string): Difference[] | undefined {
  const server = between(text, 'Text content did not match. Server: "', '" Client: "')
  if (!server) return undefined
  // The client's text ends with its line. The component stack follows.
  const client = text.slice(server.end).split(/"(?:\n|\s{0,4}$|\s{1,4}(?:at|in) )/, 1)[0] ?? ''
  return [{ what: 'text', server: server.text, client }]
}

function attributeSentence(text: string): Difference[] | undefined {
  const name = between(text, 'Prop `', '` did not match. Server: ')
  if (name) {
    const [server = '', rest = ''] = text.slice(name.end).split(' Client: ', 2)
    return [
      { what: 'attribute', name: name.text, server: unquoted(server), client: unquoted(rest.split('\n', 1)[0] ?? '') },
    ]
  }
  const extra = between(`${text}\n`, 'Extra attributes from the server: ', '\n')
  return extra?.text
    .split(/[,\s]/, differencesMax)
    .filter((part) => /^[A-Za-z_][\w:.-]{0,100}$/.test(part))
    .map((part) => ({ what: 'attribute', name: part, server: '' }))
}

function elementSentence(text: string): Difference[] | undefined {
  const onClient = between(text, 'Expected server HTML to contain a matching ', ' in <')
  const onServer = between(text, 'Did not expect server HTML to contain ', ' in <')
  const entry = onClient ?? onServer
  if (!entry) return undefined
  const node = between(entry.text, '"', '"')
  const value = node ? node.text : entry.text.replace(/^(?:a|the) /, '')
  return [{ what: node ? 'text' : 'element', ...(onClient ? { client: value } : { server: value }) }]
}

/** Formats `console.error(template, ...values)` like a console. Without a template, joins the texts. */
export function formatted(args: Json | undefined, message: string | undefined): string {
  const [template, ...values] = Array.isArray(args) ? args.slice(0, 20) : []
  if (typeof template !== 'string') return message ?? ''
  let next = 0
  const text = template.replace(/%[sdoO]/g, (sign) => {
    const value = values[next++]
    return value === undefined ? sign : asText(value)
  })
  return [text, ...values.slice(next).map(asText)].join(' ')
}

const asText = (value: Json): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '').slice(0, 500)

/** The difference of two documents: the parts between their equal beginnings and ends. */
export function fromMarkup(server: string, client: string): Mismatch {
  const [a, b] = [partsOf(server), partsOf(client)]
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1
  let tail = 0
  while (tail < a.length - start && tail < b.length - start && a.at(-1 - tail) === b.at(-1 - tail)) tail += 1
  const [left, right] = [a.slice(start, a.length - tail), b.slice(start, b.length - tail)]
  if (left.length === 0 && right.length === 0) return { differences: [], components: [] }
  const what = [...left, ...right].every((entry) => !entry.startsWith('<')) ? 'text' : 'html'
  const side = (key: 'server' | 'client', parts: string[]) => (parts.length > 0 ? { [key]: parts.join('') } : {})
  return { differences: nonEmpty([{ what, ...side('server', left), ...side('client', right) }]), components: [] }
}

/** Removes differences that are equal after normalizing. Cuts each side to a line. At most 10. */
function nonEmpty(differences: readonly Difference[]): Difference[] {
  const normal = (difference: Difference, side: string | undefined) =>
    side === undefined
      ? undefined
      : difference.what === 'attribute'
        ? attributeValue(difference.name ?? '', side)
        : collapse(side)
  return differences
    .filter((difference) => normal(difference, difference.server) !== normal(difference, difference.client))
    .slice(0, differencesMax)
    .map((difference) => {
      const [server, client] = [normal(difference, difference.server), normal(difference, difference.client)]
      const from = commonStart(server, client)
      return {
        what: difference.what,
        ...(difference.name ? { name: short(difference.name, nameMax) } : {}),
        ...(server === undefined ? {} : { server: short(fromStart(server, from)) }),
        ...(client === undefined ? {} : { client: short(fromStart(client, from)) }),
      }
    })
}

const nameMax = 100
/** Characters of the equal beginning that stay before a difference. */
const leadMax = 60

/** The number of equal characters to cut, so that the difference is within the limit. */
function commonStart(server: string | undefined, client: string | undefined): number {
  if (server === undefined || client === undefined) return 0
  let at = 0
  while (at < server.length && server[at] === client[at]) at += 1
  return at > 2 * leadMax ? at - leadMax : 0
}

const fromStart = (text: string, from: number): string => (from === 0 ? text : `…${text.slice(from)}`)
