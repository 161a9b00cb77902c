import { describe, expect, it } from 'vitest'
import { dsnOf, platformById, platforms, snippetOf } from './platforms.ts'

const dsn = 'http://abc@mishap.example/3'

describe('snippetOf', () => {
  it.each(platforms.map(({ id }) => id))('%s carries the DSN and no placeholder', (id) => {
    const text = snippetOf(id, dsn)
      .map((part) => part.code)
      .join('\n')
    expect(text).toContain(dsn)
    expect(text).not.toContain('__DSN__')
  })
  const packages: [string | null, string][] = [
    ['javascript', '@sentry/browser'],
    ['javascript-react', '@sentry/react'],
    ['javascript-nextjs', 'onRequestError'],
    ['node', '--import ./instrument.mjs'],
    ['python', 'sentry_sdk.init'],
    ['ruby', 'SENTRY_DSN='],
    ['never-heard-of', 'SENTRY_DSN='],
    [null, 'SENTRY_DSN='],
  ]
  it.each(packages)('%s names %s', (platform, word) =>
    expect(snippetOf(platform, dsn).some((part) => part.code.includes(word))).toBe(true),
  )
  it('throws the first browser error where it is seen: a console’s own throw is not', () =>
    expect(snippetOf('javascript', dsn).at(-1)?.code).toContain('setTimeout'))
})

describe('platformById', () => {
  it('knows its own and no other', () => {
    expect(platformById('node')?.name).toBe('Node.js')
    expect(platformById('toString')).toBeUndefined()
  })
})

describe('dsnOf', () => {
  const cases: [string, string][] = [
    ['http://localhost:9000', 'http://k@localhost:9000/7'],
    ['https://mishap.example', 'https://k@mishap.example/7'],
    ['https://a.example:8443/tools/mishap', 'https://k@a.example:8443/tools/mishap/7'],
  ]
  it.each(cases)('%s', (url, expected) => expect(dsnOf(url, 'k', 7)).toBe(expected))
})
