import { expect, test } from 'vitest'
import { MishapError } from '../base/errors.ts'
import { sealedToken } from './scrape-token.ts'
import { createSeal } from './seal.ts'

const seal = createSeal('x'.repeat(40))

test('a token is sealed; an empty one is none; one that is kept changes nothing', () => {
  const { sealedScrapeToken = '' } = sealedToken(seal, 'abc-123', 'securityToken')
  expect(sealedScrapeToken).not.toContain('abc')
  expect(seal.open(sealedScrapeToken)).toBe('abc-123')
  expect(sealedToken(seal, '', 'securityToken')).toEqual({ sealedScrapeToken: '' })
  expect([sealedToken(seal, undefined, 'x'), sealedToken(seal, '********', 'x')]).toEqual([{}, {}])
})

test.each(['a b', 'line\nbreak', 'ä', 'x'.repeat(201)])('%j is no token', (token) => {
  const codes = () => {
    try {
      return sealedToken(seal, token, 'securityToken')
    } catch (error) {
      return error instanceof MishapError ? [error.code, error.fields] : error
    }
  }
  expect(codes()).toEqual(['VALIDATION', { securityToken: ['Use at most 200 printable characters without spaces.'] }])
})
