/** What a token is. Each kind has a colour: `--syn-*` in tokens.css. Names and properties have none. */
type TokenKind = 'key' | 'str' | 'num' | 'fn' | 'type' | 'tag' | 'punct' | 'com'

export type Token = { text: string; kind?: TokenKind; isMarked?: true }

/** The part of a syntax tree (hast) that is used here. */
export type SyntaxNode =
  | { type: 'text'; value: string }
  | { type: 'element'; properties: { className?: unknown }; children: SyntaxNode[] }

/** Kinds by the scope that a grammar gives. A fixed list: no class name comes from the grammar or the code. */
const kinds: Readonly<Record<string, TokenKind>> = {
  keyword: 'key',
  literal: 'key',
  built_in: 'type',
  type: 'type',
  class_: 'type',
  string: 'str',
  regexp: 'str',
  char: 'str',
  symbol: 'str',
  number: 'num',
  function_: 'fn',
  'title.function': 'fn',
  tag: 'tag',
  name: 'tag',
  meta: 'tag',
  doctag: 'com',
  comment: 'com',
  operator: 'punct',
  punctuation: 'punct',
}

function kindOf(className: unknown): TokenKind | undefined {
  if (!Array.isArray(className)) return undefined
  // The most exact scope is last: `title function_`.
  for (const scope of className.toReversed())
    if (typeof scope === 'string' && Object.hasOwn(kinds, scope)) return kinds[scope]
  return undefined
}

/** The tokens of a syntax tree, one list per line. The texts together are the code, unchanged. */
export function linesOf(nodes: readonly SyntaxNode[]): Token[][] {
  const lines: Token[][] = [[]]
  const add = (text: string, kind: TokenKind | undefined) => {
    for (const [at, part] of text.split('\n').entries()) {
      if (at > 0) lines.push([])
      if (part) lines.at(-1)?.push(kind ? { text: part, kind } : { text: part })
    }
  }
  const walk = (children: readonly SyntaxNode[], outer: TokenKind | undefined) => {
    for (const node of children)
      if (node.type === 'text') add(node.value, outer)
      else walk(node.children, kindOf(node.properties.className) ?? outer)
  }
  walk(nodes, undefined)
  return lines
}

/** A range of characters of a line. */
export type CharacterRange = { from: number; to: number }

/** Splits the tokens of a line so that those in the range are marked. */
export function markTokens(tokens: readonly Token[], { from, to }: CharacterRange): Token[] {
  const parts: Token[] = []
  let start = 0
  for (const token of tokens) {
    const cuts = [0, from - start, to - start, token.text.length].map((cut) =>
      Math.min(Math.max(cut, 0), token.text.length),
    )
    for (const [at, cut] of cuts.slice(0, 3).entries()) {
      const text = token.text.slice(cut, cuts[at + 1])
      if (text) parts.push({ ...token, text, ...(at === 1 ? { isMarked: true as const } : undefined) })
    }
    start += token.text.length
  }
  return parts
}
