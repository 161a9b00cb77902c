import { expect, test } from 'vitest'
import { type ErrorCode, MishapError } from '../../base/errors.ts'
import { type AlertReasonCode, alertReasonCode, alertReasons } from './alert-reasons.ts'
import { reasonText } from './step-reasons.ts'

test.each(Object.entries(alertReasons))('%s is the code of its sentence', (code, sentence) => {
  expect(alertReasonCode(sentence)).toBe(code)
})

test.each<[ErrorCode, AlertReasonCode]>([
  ['OUTGOING_REFUSED', 'address_refused'],
  ['OUTGOING_FAILED', 'address_unreachable'],
  ['OUTGOING_TIMEOUT', 'address_timeout'],
  ['OUTGOING_TOO_LARGE', 'answer_too_large'],
  ['STORE_UNAVAILABLE', 'store_unavailable'],
])('the error %s has the code %s', (error, code) => {
  expect(alertReasonCode(new MishapError(error).message)).toBe(code)
})

test('a mute has a code, the words of a service have none', () => {
  expect(alertReasonCode(reasonText({ why: 'muted', mute: 'Deploys' }))).toBe('muted')
  for (const text of ['', 'The service answered 500: Snoozed.', 'no_mail_server', 'constructor'])
    expect(alertReasonCode(text)).toBeUndefined()
})
