import { expect, test } from 'vitest'
import { exploreParams } from '../panels/explore/params.ts'
import { exploreHref } from './explore-link.ts'

test('the link opens Explore with the search and the scope of the page', () => {
  const scope = { project: 'web', env: 'production', range: { kind: 'relative', period: '14d' } as const }
  const href = exploreHref('acme', 'spans', 'span.op:db & <b>', scope)
  expect(href.startsWith('/o/acme/explore?dataset=spans&q=')).toBe(true)
  const { mode, plan, ...rest } = exploreParams(new URL(href, 'http://mishap.test').searchParams)
  expect(rest).toMatchObject(scope)
  expect([mode, plan.dataset, plan.query]).toEqual(['chart', 'spans', 'span.op:db & <b>'])
  const range = { kind: 'absolute', fromMs: 1_795_000_000_000, toMs: 1_795_000_001_000 } as const
  const fixed = new URL(exploreHref('acme', 'errors', '', { project: '', env: '', range }, true), 'http://mishap.test')
  expect(exploreParams(fixed.searchParams)).toMatchObject({
    mode: 'rows',
    range,
    plan: { dataset: 'errors', query: '' },
  })
})
