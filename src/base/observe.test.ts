import { describe, expect, test } from 'vitest'
import { callsOf, MishapError } from './errors.ts'
import { createObserve, createRequestScope, faultOf, prettyLine, requestIdOf } from './observe.ts'

const secret = 'SECRET-of-an-event'

function thrown(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('it did not throw')
}

describe('faultOf', () => {
  test.each<[string, unknown, RegExp]>([
    [
      'a syntax error repeats its text',
      thrown(() => JSON.parse(`{"${secret}`)),
      /^SyntaxError at \/src\/base\/observe\.test/,
    ],
    ['a type error repeats its value', thrown(() => 'a' in (secret as never)), /^TypeError at /],
    [
      'a store’s error repeats the row',
      Object.assign(new Error(secret), { code: '27', type: 'CANNOT_PARSE' }),
      /^Error 27 CANNOT_PARSE/,
    ],
    [
      'an error with lines like calls',
      Object.assign(new RangeError(`x\n    at ${secret} (/src/a.ts:1)`), {}),
      /^RangeError at/,
    ],
    ['something else', secret, /^unknown$/],
  ])('%s', (_name, error, expected) => {
    expect(faultOf(error)).toMatch(expected)
    expect(faultOf(error)).not.toContain(secret)
  })

  test('our own sentences stay', () => {
    expect(faultOf(new Error('the project is gone'))).toBe('Error: the project is gone')
    expect(faultOf(new MishapError('STORE_UNAVAILABLE'))).toMatch(/^STORE_UNAVAILABLE: The events store is down/)
  })

  test('the calls of a stack are without its message', () => {
    const calls = callsOf(new TypeError(`${secret}\n    at ${secret} (file:1:1)`))
    expect(calls).toMatch(/^ {4}at /)
    expect(calls).not.toContain(secret)
  })
})

describe('requestIdOf', () => {
  test.each([
    ['abcdef12-3456', true],
    ['1-67891233-abcdef012345678912345678', true],
    ['short', false],
    ['with space and "quotes"', false],
    ['line\nbreak-in-it', false],
    ['x'.repeat(200), false],
    [undefined, false],
  ])('%j is taken: %s', (given, taken) => {
    const id = requestIdOf({ 'x-request-id': given })
    expect(id === given).toBe(taken)
    expect(id).toMatch(/^[\w.:=+/-]{8,128}$/)
  })
})

describe('lines', () => {
  const lines: string[] = []
  const write = (line: string) => void lines.push(line)

  test('JSON with process, time and the request that is under way', async () => {
    const scope = createRequestScope()
    const observe = createObserve('app', 'info', { requestId: scope.id, write, pretty: false })
    observe.info({ n: 1 }, 'outside')
    await scope.run('request-1', async () => {
      await Promise.resolve()
      observe.warn({}, 'inside')
    })
    observe.debug({}, 'not at this level')
    const [outside, inside, none] = lines.splice(0).map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(outside).toMatchObject({ part: 'app', n: 1, msg: 'outside', level: 30 })
    expect(outside).not.toHaveProperty('requestId')
    expect(inside).toMatchObject({ requestId: 'request-1', msg: 'inside' })
    expect(none).toBeUndefined()
  })

  test('pretty on a terminal: one line, no control characters of a value', () => {
    const observe = createObserve('main', 'info', { write, pretty: true })
    observe.error({ name: 'a\u001b[2Jb\nc', list: [1] }, 'a sentence')
    const [line = ''] = lines.splice(0)
    expect(line).toContain('a sentence')
    expect(line).toContain('error')
    expect(line).toContain('[1]')
    expect(line).not.toContain('\u001b[2J')
    expect(line.trimEnd()).not.toContain('\n')
    expect(prettyLine('{"level":99,"time":"2026-01-01T10:11:12.123Z","part":"x","msg":"m"}')).toContain('10:11:12.123')
  })
})
