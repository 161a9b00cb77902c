import { expect, test } from 'vitest'
import { MishapError } from '../base/errors.ts'
import { withDatabaseAnswer, withDatabaseCause } from './database-cause.ts'

const away = new MishapError('DATABASE_UNAVAILABLE')
const up = { people: { isEmpty: async () => false } }
const down = {
  people: {
    isEmpty: async () => {
      throw away
    },
  },
}
const failing = (error: unknown) => async () => {
  throw error
}

test.each([
  ['a hidden cause', Object.assign(new Error('no session'), { statusCode: 500 }), down, away],
  ['an error without a status', new TypeError('x'), down, away],
  ['an error while the database answers', new TypeError('x'), up, new TypeError('x')],
  ['a wrong password', Object.assign(new Error('wrong'), { statusCode: 401 }), down, new Error('wrong')],
  ['an error of our own', new MishapError('AUTH_BUSY'), down, new MishapError('AUTH_BUSY')],
])('%s', async (_name, error, meta, expected) => {
  await expect(withDatabaseCause(meta, failing(error))).rejects.toMatchObject({
    name: expected.name,
    message: expected.message,
  })
})

test.each([
  [500, down, 'DATABASE_UNAVAILABLE'],
  [500, up, 500],
  [401, down, 401],
  [200, down, 200],
])('an answer %s', async (status, meta, expected) => {
  const answer = withDatabaseAnswer(meta, async () => new Response('', { status }))
  expect(
    await answer.then(
      (response) => response.status,
      (error: MishapError) => error.code,
    ),
  ).toBe(expected)
})
