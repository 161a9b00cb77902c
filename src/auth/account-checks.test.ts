import { expect, test } from 'vitest'
import { MishapError } from '../base/errors.ts'
import { checkEmail, checkPassword, emailCharactersMax } from './account-checks.ts'

const refusalOf = (work: () => unknown) => {
  try {
    return work()
  } catch (error) {
    return error instanceof MishapError ? { code: error.code, fields: error.fields } : error
  }
}
const sentence = `Use one e-mail address of at most ${emailCharactersMax} characters.`
/** An address with the given number of characters. Its labels have the maximum length. */
const long = (characters: number) => {
  const domain = [60, 60, 60].map((length) => 'd'.repeat(length)).join('.')
  return `${'a'.repeat(characters - domain.length - 6)}@${domain}.test`
}

test.each([
  ['Ann@Example.com', 'ann@example.com'],
  ['  ann@example.com \n', 'ann@example.com'],
  [long(emailCharactersMax), long(emailCharactersMax)],
])('%j is kept as %j', (given, expected) => {
  expect(checkEmail(given)).toBe(expected)
})

test.each(['ann', 'ann@b', 'a@b.test, c@d.test', '', long(emailCharactersMax + 1)])('%.40j is no address', (given) => {
  expect(refusalOf(() => checkEmail(given))).toEqual({ code: 'VALIDATION', fields: { email: [sentence] } })
})

test('a password that is refused is so at its field', async () => {
  await expect(checkPassword('short', [])).rejects.toMatchObject({
    code: 'VALIDATION',
    fields: { password: ['Use at least 10 characters.'] },
  })
  await expect(checkPassword('rainbow shop', ['Rainbow'])).resolves.toBeUndefined()
  await expect(checkPassword('rainbow12345', ['Rainbow'])).rejects.toMatchObject({ code: 'VALIDATION' })
})
