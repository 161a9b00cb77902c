import { expect, test } from 'vitest'
import { mailPasswordLink } from './password-link.ts'

const ann = { id: 'ann', name: 'Ann', email: 'ann@example.test' }

test.each([
  ['ann@example.test', undefined, 1, 0],
  ['ann@example.test', 'connect ECONNREFUSED', 1, 1],
  ['eve@example.test', undefined, 0, 0],
])('%s with the failure %j: %i mails, %i warnings', async (email, failure, mailed, warned) => {
  const mails: { text: string }[] = []
  const warnings: unknown[] = []
  await mailPasswordLink(
    {
      auth: { startReset: async (asked) => (asked === ann.email ? { person: ann, secret: 's3cret' } : undefined) },
      alerts: {
        mail: async (mail) => {
          mails.push(mail)
          return failure
        },
      },
      config: { url: 'https://m.test' },
      observe: { warn: (facts) => void warnings.push(facts) },
    },
    email,
  )
  expect([mails.length, warnings]).toEqual([mailed, warned ? [{ error: failure }] : []])
  for (const { text } of mails) expect(text).toContain('https://m.test/reset-password?secret=s3cret')
})
