import { describe, expect, it } from 'vitest'
import { linesOf, markTokens, type SyntaxNode, type Token } from './tokens.ts'

const text = (value: string): SyntaxNode => ({ type: 'text', value })
const scope = (className: unknown, ...children: SyntaxNode[]): SyntaxNode => ({
  type: 'element',
  properties: { className },
  children,
})
const show = (tokens: readonly Token[]) =>
  tokens.map((token) => `${token.isMarked ? '!' : ''}${token.kind ?? ''}:${token.text}`)

describe('linesOf', () => {
  it.each<[string, SyntaxNode[], string[][]]>([
    ['plain text', [text('a b')], [[':a b']]],
    ['an empty line', [text('a\n\nb')], [[':a'], [], [':b']]],
    ['a scope', [scope(['keyword'], text('for'))], [['key:for']]],
    ['the most exact scope', [scope(['title', 'function_'], text('f'))], [['fn:f']]],
    ['a scope over lines', [scope(['comment'], text('/* a\nb */'))], [['com:/* a'], ['com:b */']]],
    [
      'inner scopes',
      [scope(['string'], text("'"), scope(['subst'], scope(['number'], text('1'))))],
      [["str:'", 'num:1']],
    ],
    ['names and properties stay plain', [scope(['attr'], text('a')), scope(['property'], text('b'))], [[':a', ':b']]],
    ['no scope of the code itself', [scope(['constructor'], text('a')), scope('x', text('b'))], [[':a', ':b']]],
  ])('%s', (_name, nodes, lines) => expect(linesOf(nodes).map(show)).toEqual(lines))
})

describe('markTokens', () => {
  const tokens: Token[] = [{ text: 'ab', kind: 'key' }, { text: 'cdef' }]
  it.each<[string, number, number, string[]]>([
    ['inside one', 3, 5, ['key:ab', ':c', '!:de', ':f']],
    ['over two', 1, 3, ['key:a', '!key:b', '!:c', ':def']],
    ['a whole one', 2, 6, ['key:ab', '!:cdef']],
    ['nothing', 9, 12, ['key:ab', ':cdef']],
  ])('%s', (_name, from, to, parts) => expect(show(markTokens(tokens, { from, to }))).toEqual(parts))
})
