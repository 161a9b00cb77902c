import { expect, test } from 'vitest'
import { fixedIssues } from './commit-fixes.ts'

test.each<[string, string[]]>([
  ['Guard the total\n\nfixes SHOP-WEB-3', ['SHOP-WEB-3']],
  ['Fix: web-1', ['WEB-1']],
  ['fix WEB-1', ['WEB-1']],
  ['Fixed WEB-1.', ['WEB-1']],
  ['CLOSES WEB-1', ['WEB-1']],
  ['closed #WEB-1', ['WEB-1']],
  ['close WEB-1, WEB-2,API-3 and API-4 & WEB-5, and WEB-6', ['WEB-1', 'WEB-2', 'API-3', 'API-4', 'WEB-5', 'WEB-6']],
  ['resolves WEB-1\nresolved: WEB-2\nresolve WEB-1', ['WEB-1', 'WEB-2']],
  ['(fixes WEB-1)', ['WEB-1']],
  ['fixes WEB-1 WEB-2', ['WEB-1']],
  ['see WEB-1', []],
  ['fixes the WEB-1 problem', []],
  ['prefixes WEB-1', []],
  ['bug-fixes WEB-1', []],
  ['fixesWEB-1', []],
  ['fixes\nWEB-1', []],
  ['fixes WEB-1a', []],
  ['fixes WEB-1-2x', []],
  ['fixes #12', []],
  ['fixes ', []],
  ['', []],
])('%j names %j', (message, issues) => {
  expect(fixedIssues(message)).toEqual(issues)
})

test('a message names at most 50 issues', () => {
  expect(fixedIssues(`fixes ${Array.from({ length: 80 }, (_, n) => `WEB-${n}`).join(', ')}`)).toHaveLength(50)
})
