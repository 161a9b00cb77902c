import { expect, test } from 'vitest'
import { GET } from './route.ts'

test('the address of the loader script says that there is none, and what to do', async () => {
  const answer = GET()
  expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/plain; charset=utf-8'])
  expect(await answer.text()).toContain('has no loader script')
})
