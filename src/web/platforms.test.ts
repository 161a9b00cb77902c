import { describe, expect, it, test } from 'vitest'
import { platformById, platformGroups, platforms, sendsFromBrowsers, storedPlatform } from './platforms.ts'

describe('the list', () => {
  it('are all in one group each', () => {
    const grouped = platformGroups.flatMap((group) => group.platforms.map(({ id }) => id))
    expect(grouped.toSorted()).toEqual(platforms.map(({ id }) => id).toSorted())
    expect(platformGroups.map((group) => group.platforms.length > 0)).toEqual([true, true, true, true])
  })
  it('has more than 20 platforms, each once', () => {
    expect(platforms.length).toBeGreaterThan(20)
    expect(new Set(platforms.map(({ id }) => id)).size).toBe(platforms.length)
  })
  it('knows its own and no other', () => {
    expect(platformById('node')?.name).toBe('Node.js')
    expect(platformById('toString')).toBeUndefined()
    expect([storedPlatform('go-gin'), storedPlatform('other'), storedPlatform('none')]).toEqual(['go-gin', null, null])
  })
})

test.each([
  ['javascript-nextjs', true],
  ['other', true],
  [null, true],
  ['node', false],
  ['python', false],
])('%s sends from browsers: %s', (id, expected) => expect(sendsFromBrowsers(id)).toBe(expected))
