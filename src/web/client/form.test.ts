import { describe, expect, it } from 'vitest'
import { MishapError } from '../../base/errors.ts'
import {
  attemptGuarded,
  failed,
  failureOf,
  longTextOf,
  noGuardedState,
  revisionOf,
  textOf,
  typedValues,
} from './form.ts'

function data(values: Record<string, string | File>): FormData {
  const made = new FormData()
  for (const [name, value] of Object.entries(values)) made.set(name, value)
  return made
}

describe('failureOf', () => {
  it('reads an expected failure', () => {
    const error = new MishapError('VALIDATION', { fields: { name: ['Too long.'] }, retryAfterS: 3 })
    expect(failureOf(error)).toEqual({
      code: 'VALIDATION',
      message: 'A value is not valid.',
      fields: { name: ['Too long.'] },
      retryAfterS: 3,
    })
  })
  const conflicts: [Record<string, unknown>, string | null][] = [
    [{ revision: 2, changedBy: { id: '1', name: 'Bob', email: 'bob@example.test' } }, 'Bob'],
    [{ revision: 2, changedBy: { id: '1', name: '', email: 'bob@example.test' } }, 'bob@example.test'],
    [{ revision: 2, changedBy: null }, null],
    [{}, null],
  ]
  it.each(conflicts)('reads who was quicker: %j', (current, by) => {
    expect(failureOf(new MishapError('CONFLICT', { current }))?.current).toEqual({ by })
  })
  it('reads one whose class is of another bundle', () => {
    const foreign = Object.assign(new Error('taken'), { name: 'MishapError', code: 'CONFLICT' })
    expect(failureOf(foreign)).toEqual({ code: 'CONFLICT', message: 'taken', fields: {}, retryAfterS: undefined })
  })
  const bugs: [string, unknown][] = [
    ['a bug', new TypeError('x is not a function')],
    ['a text', 'no'],
    ['nothing', undefined],
    ['a name without a code', Object.assign(new Error('x'), { name: 'MishapError' })],
    ['a redirect of the framework', Object.assign(new Error('NEXT_REDIRECT'), { digest: 'NEXT_REDIRECT;push;/;307;' })],
  ]
  it.each(bugs)('%s is none', (_name, error) => expect(failureOf(error)).toBeUndefined())
})

describe('fields of a form', () => {
  it('cuts long text and reads a missing field and a file as nothing', () => {
    const form = data({ a: 'x'.repeat(5000), file: new File(['x'], 'x.txt') })
    expect(textOf(form, 'a')).toHaveLength(4096)
    expect(textOf(form, 'b')).toBe('')
    expect(textOf(form, 'file')).toBe('')
  })
  it('counts the end of a line once, as the field did', () => {
    expect(longTextOf(data({ a: 'x\r\n'.repeat(10) }), 'a', 20)).toBe('x\n'.repeat(10))
    expect(longTextOf(data({ a: 'x\r\n'.repeat(10) }), 'a', 19)).toHaveLength(19)
  })
  it('keeps what was typed, never a password, the setup secret or the framework’s own fields', () => {
    const secrets = { password: 'hunter22', currentPassword: 'hunter22', newPassword: 'hunter23', secret: 's' }
    expect(typedValues(data({ email: 'a@b', ...secrets, $ACTION_ID: '1' }))).toEqual({ email: 'a@b' })
  })
  it('shows field errors at their fields and else the sentence', () => {
    const form = data({ name: 'x' })
    expect(failed(form, { message: 'all', fields: { name: ['bad'] } })).toEqual({
      fields: { name: ['bad'] },
      error: null,
      values: { name: 'x' },
      done: false,
    })
    expect(failed(form, { message: 'all', fields: {} })).toEqual({
      fields: {},
      error: 'all',
      values: { name: 'x' },
      done: false,
    })
  })
})

describe('a form that two people change', () => {
  const revisions: [Record<string, string>, number | undefined][] = [
    [{}, undefined],
    [{ revision: '0' }, 0],
    [{ revision: '7' }, 7],
    [{ revision: '-1' }, undefined],
    [{ revision: '7', anyway: 'yes' }, undefined],
    [{ revision: '7', anyway: 'no' }, 7],
  ]
  it.each(revisions)('revision of %j', (values, revision) => expect(revisionOf(data(values))).toBe(revision))

  const refused = (current?: Record<string, unknown>) => () => {
    throw new MishapError('CONFLICT', { detail: 'No.', ...(current ? { current } : {}) })
  }
  const typed = { name: 'Mine' }
  it('says who was quicker in place of a sentence, and keeps what was typed', async () => {
    const current = { revision: 2, changedBy: { id: '1', name: 'Bob', email: 'bob@example.test' } }
    const state = await attemptGuarded(data(typed), refused(current))
    expect(state).toEqual({ fields: {}, error: null, values: typed, done: false, stale: { by: 'Bob' } })
  })
  it('says another conflict as it is', async () => {
    expect(await attemptGuarded(data(typed), refused())).toMatchObject({ error: 'No.', done: false, stale: null })
  })
  it('is done after its work', async () => {
    expect(await attemptGuarded(data(typed), () => undefined)).toEqual({ ...noGuardedState, done: true })
  })
})
