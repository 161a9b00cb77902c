/** Maximum characters and parts that are compared. Differences are mostly near the beginning. */
const markupMax = 65_536
const partsMax = 5000
const attributesMax = 100

/**
 * HTML as a list of tags and texts that is equal for equal documents. Sorts attributes by name, turns white space into
 * one space, and removes additions of session replay for `:hover`. Treats other input as text. Never throws.
 */
export function partsOf(markup: string): string[] {
  const text = markup.slice(0, markupMax)
  const parts: string[] = []
  let at = 0
  let inStyle = false
  while (at < text.length && parts.length < partsMax) {
    const open = nextTag(text, at)
    const between = collapse(text.slice(at, open))
    if (between) parts.push(inStyle ? withoutHoverRules(between) : between)
    if (open >= text.length) break
    const end = tagEnd(text, open)
    const tag = tagOf(text.slice(open, end))
    if (tag) parts.push(tag)
    inStyle = tag?.startsWith('<style') === true
    at = end
  }
  return parts
}

/** Collapses white space like HTML: one space, none at the ends. */
export const collapse = (text: string): string => text.replace(/\s+/g, ' ').trim()

function nextTag(text: string, from: number): number {
  const tag = /<[a-zA-Z/!]/g
  tag.lastIndex = from
  return tag.exec(text)?.index ?? text.length
}

/** The index after the `>` that ends the tag or comment at `open`. A `>` within quotes does not count. */
function tagEnd(text: string, open: number): number {
  if (text.startsWith('<!--', open)) {
    const end = text.indexOf('-->', open)
    return end < 0 ? text.length : end + 3
  }
  let quote = ''
  for (let i = open; i < text.length; i++) {
    const sign = text[i] ?? ''
    if (quote) {
      if (sign === quote) quote = ''
    } else if (sign === '>') return i + 1
    else if (sign === '"' || sign === "'") quote = sign
  }
  return text.length
}

/** A tag in normal form; undefined for a comment, such as React's and templates' markers. */
function tagOf(tag: string): string | undefined {
  if (tag.startsWith('<!')) return undefined
  const name = /^<\/?[a-zA-Z][\w:.-]{0,100}/.exec(tag)?.[0].toLowerCase()
  if (name === undefined) return collapse(tag)
  const attributes = attributesOf(tag.slice(name.length)).map(([key, value]) =>
    value === '' ? key : `${key}="${value}"`,
  )
  return `${[name, ...attributes].join(' ')}>`
}

/** The attributes of a tag, sorted by name, with normalized values. The first of two equal names wins. */
function attributesOf(source: string): [name: string, value: string][] {
  const found = new Map<string, string>()
  const entry = /([^\s"'>/=]{1,200})(?:\s{0,20}=\s{0,20}(?:"([^"]*)"|'([^']*)'|([^\s"'>]{0,2000})))?/g
  for (const [, name = '', double, single, bare] of source.matchAll(entry)) {
    const key = name.toLowerCase()
    const value = attributeValue(key, double ?? single ?? bare ?? '')
    if (!found.has(key) && !(key === 'class' && value === '')) found.set(key, value)
    if (found.size >= attributesMax) break
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1))
}

/** The compared form of an attribute value: a class without replay markers, a style without its final semicolon. */
export function attributeValue(name: string, value: string): string {
  const line = collapse(value)
  if (name === 'class' || name === 'className')
    return line
      .split(' ')
      .filter((part) => part !== ':hover' && part !== '\\:hover')
      .join(' ')
  return name === 'style' ? line.replace(/\s?([:;])\s?/g, '$1').replace(/;$/, '') : line
}

/** Session replay writes `a:hover` as `a:hover, a.\:hover`. Removes the second selector. */
function withoutHoverRules(css: string): string {
  if (!css.includes(':hover')) return css
  return css
    .split('}')
    .map((rule) => {
      const open = rule.indexOf('{')
      if (open < 0) return rule
      const selectors = rule
        .slice(0, open)
        .split(',')
        .map((part) => part.trim().replaceAll('.\\:hover', ':hover'))
      return `${[...new Set(selectors)].join(',')}${rule.slice(open)}`
    })
    .join('}')
}
