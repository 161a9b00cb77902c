import { short } from './texts.ts'

const linesMax = 400

/** React's warning about tags that HTML does not allow within each other. */
export function nestingIn(text: string): string | undefined {
  const found =
    /In HTML, [^\n]{1,200} cannot be a (?:child|descendant) of|<[\w-]{1,60}> cannot contain a nested|validateDOMNesting\(/.exec(
      text,
    )
  if (!found) return undefined
  const end = text.indexOf('\n', found.index)
  return short(text.slice(found.index, end < 0 ? undefined : end))
}

/** Components of the tree after React 19's warning, those nearest to the marked tags (`>`) first. */
export function namesInTree(text: string): string[] {
  const open: { indent: number; name: string }[] = []
  let nearest: string[] = []
  for (const line of text.split('\n', linesMax)) {
    const tag = /^([ >]\s{1,400})<([\w$.:()-]{1,100})/.exec(line)
    if (!tag) continue
    const indent = tag[1]?.length ?? 0
    while ((open.at(-1)?.indent ?? -1) >= indent) open.pop()
    open.push({ indent, name: tag[2] ?? '' })
    if (line.startsWith('>')) nearest = open.map((entry) => entry.name).reverse()
  }
  return nearest
}

const wordSet = (text: string): ReadonlySet<string> => new Set(text.split(' '))
const headings = 'h1 h2 h3 h4 h5 h6'
/** Elements that a parser moves out of an open element. */
const never: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  [
    'p',
    wordSet(
      `address article aside blockquote center details dialog dir div dl fieldset figcaption figure footer form ${headings} header hgroup hr main menu nav ol p pre search section table ul`,
    ),
  ],
  ...['a', 'button', 'form'].map((entry): [string, ReadonlySet<string>] => [entry, wordSet(entry)]),
  ...headings.split(' ').map((part): [string, ReadonlySet<string>] => [part, wordSet(headings)]),
])
/** Elements that allow only a few children. */
const only: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['table', wordSet('caption colgroup thead tbody tfoot script style template')],
  ...['thead', 'tbody', 'tfoot'].map((entry): [string, ReadonlySet<string>] => [entry, wordSet('tr script template')]),
  ['tr', wordSet('td th script template')],
])

/**
 * An element that React 18 missed in the server's page because HTML does not allow it there: the parser had moved it.
 * React's own warning comes after it has rendered again, when the error has already been sent.
 */
export function misplacedIn(text: string): string | undefined {
  const found = /Expected server HTML to contain a matching <([\w-]{1,60})> in <([\w-]{1,60})>/.exec(text)
  const [, child = '', parent = ''] = found ?? []
  const isOut = never.get(parent)?.has(child) || only.get(parent)?.has(child) === false
  return found && isOut ? `<${child}> in <${parent}>` : undefined
}
