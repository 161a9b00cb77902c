import { expect, test } from 'vitest'
import { resetMail } from './reset-mail.ts'

test('the mail names the account, brings the link and says how long it works', () => {
  const link = 'https://m.test/reset-password?secret=a&b'
  const mail = resetMail({ to: { id: '1', name: '<b>Ann</b>', email: 'ann@x.test' }, link, minutes: 60 })
  expect(mail).toMatchObject({ to: 'ann@x.test', subject: 'Set a new Mishap password' })
  expect(mail.text).toContain(
    `for ann@x.test. Set it here:\n\nSet a new password:\n${link}\n\nThe link works once, within 60 minutes.`,
  )
  expect(mail.html).toContain('href="https://m.test/reset-password?secret=a&amp;b"')
  expect(mail.html).not.toContain('<b>')
})
