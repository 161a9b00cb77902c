import { afterEach, expect, it, vi } from 'vitest'
import { leads } from './use-jump.ts'

afterEach(() => void vi.unstubAllGlobals())

const signal = new AbortController().signal

it.each([
  // The response of a browser for a redirect that it does not follow.
  ['an issue', { status: 0, type: 'opaqueredirect' }, true],
  ['a choice of several issues', { status: 200, type: 'basic' }, true],
  ['nothing', { status: 404, type: 'basic' }, false],
  ['a store that is away', { status: 500, type: 'basic' }, false],
])('a short link to %s', async (_name, answer, found) => {
  const fake = vi.fn(async () => answer)
  vi.stubGlobal('fetch', fake)
  expect(await leads('/i/UTF-8', signal)).toBe(found)
  expect(fake).toHaveBeenCalledWith('/i/UTF-8', expect.objectContaining({ redirect: 'manual', signal }))
})

it('without a network it leads nowhere', async () => {
  vi.stubGlobal('fetch', async () => {
    throw new TypeError('Failed to fetch')
  })
  expect(await leads('/e/x', signal)).toBe(false)
})
