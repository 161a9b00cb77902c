import { describe, expect, test } from 'vitest'
import { catalogue, type ErrorCode, errorBody, MishapError, senderLeft } from './errors.ts'

const codes = Object.keys(catalogue) as ErrorCode[]

describe('catalogue', () => {
  test.each(codes)('%s has a status that fits its place, and two sentences', (code) => {
    const { status, happened, todo } = catalogue[code]
    expect(code).toMatch(/^[A-Z]+(_[A-Z0-9]+)*$/)
    if (code.startsWith('START_')) expect([1, 78]).toContain(status)
    else expect(status).toBeGreaterThanOrEqual(400)
    expect(status).toBeLessThan(600)
    expect(happened).toMatch(/^[A-Z].{5,}/)
    expect(todo).toMatch(/^[A-Z].*\.$/)
  })

  test.each<[ErrorCode, number]>([
    ['AUTH_REQUIRED', 401],
    ['AUTH_FAILED', 401],
    ['AUTH_LOCKED', 429],
    ['AUTH_FORBIDDEN', 403],
    ['AUTH_TOKEN_SCOPE', 403],
    ['NOT_FOUND', 404],
    ['CONFLICT', 409],
    ['VALIDATION', 400],
    ['ACCEPT_OVERLOADED', 503],
    ['ACCEPT_DISK_FULL', 503],
    ['ACCEPT_TOO_LARGE', 413],
    ['STORE_UNAVAILABLE', 503],
    ['START_LOCKED', 1],
  ])('%s is answered with %i: clients depend on it', (code, status) => {
    expect(new MishapError(code).status).toBe(status)
  })
})

describe('what an error answers', () => {
  test.each<[string, MishapError, string, string[]]>([
    ['nothing said', new MishapError('NOT_FOUND'), catalogue.NOT_FOUND.happened, [catalogue.NOT_FOUND.todo]],
    ['a detail', new MishapError('CONFLICT', { detail: 'Taken.' }), 'Taken.', [catalogue.CONFLICT.todo]],
    ['causes', new MishapError('CONFLICT', { causes: ['slug'] }), catalogue.CONFLICT.happened, ['slug']],
    ['no causes', new MishapError('CONFLICT', { causes: [] }), catalogue.CONFLICT.happened, [catalogue.CONFLICT.todo]],
  ])('%s', (_name, error, detail, causes) => {
    expect(errorBody(error)).toEqual({ detail, code: error.code, causes })
  })

  test('a wait, fields, name and stack stay with it', () => {
    const error = new MishapError('AUTH_LOCKED', { retryAfterS: 30, fields: { email: ['x'] } })
    expect(error).toMatchObject({ name: 'MishapError', retryAfterS: 30, fields: { email: ['x'] }, causes: [] })
    expect(error).toBeInstanceOf(Error)
    expect(error.stack).toContain('errors.test')
    expect(new MishapError('INTERNAL')).toMatchObject({ retryAfterS: undefined, fields: undefined })
  })
})

test.each<[string, unknown, boolean]>([
  ['a request that was cut', Object.assign(new Error('aborted'), { code: 'ECONNRESET' }), true],
  ['a stream that ended early', Object.assign(new Error('x'), { code: 'ERR_STREAM_PREMATURE_CLOSE' }), true],
  ['a web stream', new DOMException('This operation was aborted', 'AbortError'), true],
  ['an answer of Next', Object.assign(new Error(''), { name: 'ResponseAborted' }), true],
  ['a connection of ours that was reset', Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }), false],
  ['a fault of ours', new TypeError('aborted'), false],
  ['no error', 'aborted', false],
])('whether the sender left: %s', (_name, error, expected) => {
  expect(senderLeft(error)).toBe(expected)
})
