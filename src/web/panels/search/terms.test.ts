import { describe, expect, it } from 'vitest'
import { parseSearch } from '../../../query/search/parse.ts'
import { jumpOf, tagHref, termsOf, withoutTerm } from './terms.ts'

describe('termsOf', () => {
  it.each<[string, string, string[]]>([
    ['nothing', '', []],
    ['blanks', '   ', []],
    ['a filter', 'is:unresolved', ['filter is:|unresolved']],
    ['a negated filter', '!level:error', ['filter !level:|error']],
    ['text', 'hello world', ['text |hello', 'text |world']],
    ['a quoted value', 'browser.name:"Mobile Safari" x', ['filter browser.name:|"Mobile Safari"', 'text |x']],
    ['an escaped quote', 'a:"b \\" c" d', ['filter a:|"b \\" c"', 'text |d']],
    ['a list', 'level:[a, b] x', ['filter level:|[a, b]', 'text |x']],
    ['a tag in brackets', 'tags[a b]:c', ['filter tags[a b]:|c']],
    ['operators', '(a OR b)', ['operator |(', 'text |a', 'operator |OR', 'text |b', 'operator |)']],
    ['an unclosed quote', 'a:"b c', ['filter a:|"b c']],
  ])('%s', (_name, query, expected) => {
    const terms = termsOf(query)
    expect(terms.map((term) => `${term.kind} ${term.key}|${term.value}`)).toEqual(expected)
    for (const term of terms) expect(query.slice(term.from, term.to)).toBe(term.text)
  })
  it('is bounded', () => {
    const terms = termsOf('a '.repeat(5000))
    expect(terms).toHaveLength(100)
    expect(terms.at(-1)?.to).toBe(10_000)
  })
})

describe('withoutTerm', () => {
  it.each<[string, number, string]>([
    ['is:unresolved level:error', 0, 'level:error'],
    ['is:unresolved level:error', 1, 'is:unresolved'],
    ['a OR b', 0, 'b'],
    ['a OR b', 2, 'a'],
    ['(a OR b) c', 5, '(a OR b)'],
    ['a', 0, ''],
    ['a', 7, 'a'],
  ])('%s without %d', (query, index, expected) => {
    expect(withoutTerm(query, index)).toBe(expected)
  })
})

describe('the link of a tag', () => {
  const queryOf = (href: string) => new URL(href, 'http://mishap.test').searchParams.get('q')
  it.each([
    ['browser', 'Chrome', 'browser:Chrome'],
    ['browser', 'Mobile Safari', 'browser:"Mobile Safari"'],
    ['a', 'x "y" \\', 'a:"x \\"y\\" \\\\"'],
    ['a', 'x*', 'a:"x\\*"'],
    ['release', 'web@1.0.0', 'release:web@1.0.0'],
    ['user.email', 'ada@example.test', 'user.email:ada@example.test'],
    // A search key of this name has another meaning, or rejects the value.
    ['level', 'warning', 'tags[level]:warning'],
    ['age', '42', 'tags[age]:42'],
    ['id', '42', 'tags[id]:42'],
    ['foo:bar', 'baz', 'tags[foo:bar]:baz'],
  ])('%s=%s', (key, value, query) => {
    expect(queryOf(tagHref('/o/acme/issues', '', key, value))).toBe(query)
    expect(parseSearch(query)).toMatchObject({ op: 'match', key, values: [{ text: value, wild: false }] })
  })

  it('keeps the range and the environment of the page', () => {
    expect(tagHref('/o/acme/issues', '?t=90d&env=dev', 'plan', 'gold')).toBe(
      '/o/acme/issues?q=plan%3Agold&t=90d&env=dev',
    )
  })
})

describe('jumpOf', () => {
  it.each<[string, string | undefined]>([
    ['3615871143', '/d/3615871143'],
    [' 3615871143@E394 ', '/d/3615871143%40E394'],
    ['digest:3615871143', '/d/3615871143'],
    ['digest:NEXT_NOT_FOUND', '/d/NEXT_NOT_FOUND'],
    ['digest:a*', undefined],
    ['Application error. Digest: 3615 871143', '/d/3615871143'],
    ['36 158 711 43', '/d/3615871143'],
    ['"Digest: 3615871143"', undefined],
    ['42', undefined],
    ['"3615871143"', undefined],
    ['"WEB-42"', undefined],
    ['WEB-42', '/i/WEB-42'],
    ['MY-APP-7', '/i/MY-APP-7'],
    ['utf-8', undefined],
    ['2026-11', undefined],
    ['9EC79C33EC9942AB8353589FCB2E04DC', '/e/9ec79c33ec9942ab8353589fcb2e04dc'],
    ['9ec79c33-ec99-42ab-8353-589fcb2e04dc', '/e/9ec79c33ec9942ab8353589fcb2e04dc'],
    ['9ec79c33', undefined],
    // The box contains this text before anybody types.
    ['is:unresolved 3615871143', '/d/3615871143'],
    ['is:unresolved3615871143', '/d/3615871143'],
    ['3615871143 is:unresolved', '/d/3615871143'],
    ['is:unresolved ERROR 3615871143', '/d/3615871143'],
    ['is:unresolved Application error. Digest: 3615871143', '/d/3615871143'],
    ['WEB-42 is:unresolved', '/i/WEB-42'],
    ['is:unresolved', undefined],
    // A search, not an identifier.
    ['WEB-42 level:error', undefined],
    ['is:unresolved digest:3615871143 release:shop@1', undefined],
    ['', undefined],
  ])('%s', (query, expected) => {
    expect(jumpOf(query)?.path).toBe(expected)
    expect(jumpOf(query)?.isSure ?? false).toBe(query.startsWith('digest:') && expected !== undefined)
  })
})
