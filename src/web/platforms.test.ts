import { describe, expect, it, test } from 'vitest'
import { platformById, platforms, sendsFromBrowsers, snippetOf } from './platforms.ts'

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

test.each([
  ['javascript-nextjs', true],
  ['other', true],
  [null, true],
  ['node', false],
  ['python', false],
])('%s sends from browsers: %s', (id, expected) => expect(sendsFromBrowsers(id)).toBe(expected))
