import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { reactError } from './react-errors.ts'
import messages from './react-messages.json' with { type: 'json' }

const tail =
  'for the full message or use the non-minified dev environment for full errors and additional helpful warnings.'
const table: Readonly<Record<string, string>> = messages

describe('a minified error in words', () => {
  test.each<[string, string, number, string | undefined]>([
    ['of React 19', `Minified React error #185; visit https://react.dev/errors/185 ${tail}`, 185, table['185']],
    [
      'with arguments',
      `Minified React error #31; visit https://react.dev/errors/31?args[]=object%20with%20keys%20%7Ba%7D ${tail}`,
      31,
      'Objects are not valid as a React child (found: object with keys {a}). If you meant to render a collection of children, use an array instead.',
    ],
    [
      'with an empty argument',
      `Minified React error #130; visit https://react.dev/errors/130?args[]=undefined&args[]= ${tail}`,
      130,
      'Element type is invalid: expected a string (for built-in components) or a class/function (for composite components) but got: undefined.',
    ],
    [
      'of React 16 to 18, brackets coded',
      `Minified React error #137; visit https://reactjs.org/docs/error-decoder.html?invariant=137&args%5B%5D=img ${tail}`,
      137,
      'img is a void element tag and must neither have `children` nor use `dangerouslySetInnerHTML`.',
    ],
    [
      'by its address alone',
      'see https://react.dev/errors/310',
      310,
      'Rendered more hooks than during the previous render.',
    ],
    ['by an old address alone', 'see error-decoder.html?invariant=300', 300, table['300']],
    ['without an address', 'Minified React error #425', 425, 'Text content does not match server-rendered HTML.'],
    [
      'too few arguments',
      `Minified React error #137; visit https://react.dev/errors/137 ${tail}`,
      137,
      '<redacted> is a void element tag and must neither have `children` nor use `dangerouslySetInnerHTML`.',
    ],
    [
      'too many arguments',
      'Minified React error #185; visit https://react.dev/errors/185?args[]=a&args[]=b',
      185,
      table['185'],
    ],
    [
      'an argument that is cut',
      'Minified React error #137; visit https://react.dev/errors/137?args[]=a%2',
      137,
      'a%2 is a void element tag and must neither have `children` nor use `dangerouslySetInnerHTML`.',
    ],
    [
      'an argument that is markup stays a text',
      'Minified React error #137; visit https://react.dev/errors/137?args[]=%3Cscript%3E%25s',
      137,
      '<script>%s is a void element tag and must neither have `children` nor use `dangerouslySetInnerHTML`.',
    ],
    [
      '418 of React 18, which has no arguments',
      `Minified React error #418; visit https://reactjs.org/docs/error-decoder.html?invariant=418 ${tail}`,
      418,
      'Hydration failed because the initial UI does not match what was rendered on the server.',
    ],
    ['an unknown number', 'Minified React error #9999; visit https://react.dev/errors/9999?args[]=a', 9999, undefined],
    ['a number that React left out', 'Minified React error #223;', 223, undefined],
  ])('%s', (_name, text, code, message) => {
    expect([reactError(text)?.code, reactError(text)?.message]).toEqual([code, message])
  })

  test('418 of React 19 says which', () => {
    const text = `Minified React error #418; visit https://react.dev/errors/418?args[]=HTML&args[]= ${tail}`
    expect(reactError(text)?.message).toMatch(
      /^Hydration failed because the server rendered HTML didn't match the client\./,
    )
  })

  test('of React 15', () => {
    const text =
      'Minified React error #59; visit http://facebook.github.io/react/docs/error-decoder.html?invariant=59&args[]=br for the full message'
    expect(reactError(text)?.message).toBe(
      'br is a void element tag and must not have `children` or use `props.dangerouslySetInnerHTML`.',
    )
  })

  test.each([
    'Minified React error',
    'Minified React error #x',
    'Minified React error #12345',
    'React error',
    'https://react.dev/learn',
    '__proto__',
    'Minified React error #constructor',
  ])('%s is none', (text) => {
    expect(reactError(text)).toBeUndefined()
  })

  test('stays short, whatever the arguments', () => {
    const args = `args[]=${'a'.repeat(5000)}&`.repeat(50)
    const found = reactError(`Minified React error #188; visit https://react.dev/errors/84?${args}`)
    expect(found?.args.length).toBeLessThanOrEqual(20)
    expect(
      reactError(`Minified React error #84; visit https://react.dev/errors/84?${args}`)?.message?.length,
    ).toBeLessThanOrEqual(2000)
  })
})

// ---- the table matches the installed builds of React

const builds = [
  ['react', 'react'],
  ['react-dom', 'react-dom-client'],
  ['react-dom', 'react-dom-server.node'],
  ['react-dom', 'react-dom-server.browser'],
] as const
const source = (pack: string, name: string) =>
  readFileSync(join(import.meta.dirname, '../../node_modules', pack, 'cjs', `${name}.js`), 'utf8')

describe('the table', () => {
  const production = builds.map(([pack, name]) => source(pack, `${name}.production`)).join('\n')
  const development = builds.map(([pack, name]) => source(pack, `${name}.development`)).join('\n')
  const used = new Set(
    [...production.matchAll(/formatProdErrorMessage(?:\$\w+)?\(\s*(\d+)/g)].map((match) => match[1] ?? ''),
  )

  test('knows every number that the installed React throws', () => {
    expect(used.size).toBeGreaterThan(100)
    expect([...used].filter((number) => !Object.hasOwn(table, number))).toEqual([])
  })

  test('says of it what the development build says', () => {
    const missing = [...used].filter((number) => {
      const longest = (table[number] ?? '').split('%s').sort((a, b) => b.length - a.length)[0] ?? ''
      const written = [longest, JSON.stringify(longest).slice(1, -1), longest.replaceAll('\n', '\\n')]
      return !written.some((entry) => development.includes(entry))
    })
    expect(missing).toEqual([])
  })
})
