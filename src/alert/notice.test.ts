import { expect, test } from 'vitest'
import type { Activity, Issue, Person } from '../store/meta/meta.ts'
import { noticeMail } from './notice.ts'

const person = (name: string): Person => ({ id: name, name, email: `${name}@example.test` }) as Person
const mailOf = (data: Record<string, unknown>, kind: 'assigned' | 'comment' = 'assigned') =>
  noticeMail({
    to: person('bob'),
    by: person('ann'),
    kind,
    url: 'https://m.test',
    unsubscribe: 'https://m.test/api/0/unsubscribe/?token=v1.x',
    organization: { id: 1, slug: 'acme', name: 'Acme', createdMs: 0 },
    issue: { id: 7, shortId: 'WEB-7', title: 'TypeError: <b>x</b>' } as Issue,
    activity: { id: 1, issueId: 7, type: 'assigned', createdMs: 0, userId: 'ann', data } as Activity,
  })

test.each<[Record<string, unknown>, string]>([
  [{}, 'ann assigned to you: WEB-7: TypeError: <b>x</b>'],
  [{ issues: 1 }, 'ann assigned to you: WEB-7: TypeError: <b>x</b>'],
  [{ issues: '4120' }, 'ann assigned to you: WEB-7: TypeError: <b>x</b>'],
  [{ issues: 4120 }, 'ann assigned 4120 issues to you, among them WEB-7: TypeError: <b>x</b>'],
])('an assignment with %j', (data, subject) => {
  const mail = mailOf(data)
  expect([mail.to, mail.subject]).toEqual(['bob@example.test', subject])
  expect(mail.html).not.toContain('<b>')
  expect(mail.unsubscribe).toBe('https://m.test/api/0/unsubscribe/?token=v1.x')
  expect(mail.text).toContain('Stop these mails: https://m.test/unsubscribe?token=v1.x')
})

test('a comment says what was said', () => {
  expect(mailOf({ text: 'one\ntwo', issues: 9 }, 'comment')).toMatchObject({
    subject: 'ann commented on WEB-7: TypeError: <b>x</b>',
    text: expect.stringContaining('> one\n> two'),
  })
})
