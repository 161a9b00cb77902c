import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dialogLanguage, dialogTexts } from './dialog/texts.ts'
import { isDialogPath } from './dialog.ts'
import { createRig, disabledKey, eventId, otherKey, publicKey, type Rig, unownedStatus } from './rig.cases.ts'

const state: { rig?: Rig } = {}
const rig = () => {
  if (!state.rig) throw new Error('not open')
  return state.rig
}
beforeAll(async () => {
  state.rig = await createRig()
})
afterAll(() => state.rig?.close())

const dsnOf = (key: string, project = 7) => `https://${key}@mishap.test/${project}`
const path = (more: Record<string, string> = {}) =>
  `/api/embed/error-page/?${new URLSearchParams({ dsn: dsnOf(publicKey), eventId, ...more })}`
const form = (fields: Record<string, string>) => ({
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(fields).toString(),
})
const whole = { name: 'Ann', email: 'ann@example.test', comments: 'It broke\nhere' }

test.each<[string, boolean]>([
  ['/api/embed/error-page/', true],
  ['/api/embed/error-page', true],
  ['/api/embed/error-page/?dsn=x', true],
  ['/api/embed/error-pages/', false],
  ['/api/embed/', false],
  ['/x/api/embed/error-page/', false],
])('%s is the dialog’s: %s', async (url, expected) => {
  const { status } = await rig().send(url, { method: 'GET' })
  expect([isDialogPath(url), status !== unownedStatus]).toEqual([expected, expected])
})

describe('the script', () => {
  test('can be loaded by any page, and is a script', async () => {
    const answer = await rig().send(path(), { method: 'GET' })
    expect(answer).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'application/javascript; charset=utf-8',
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
      },
    })
    expect(() => new Function(answer.body)).not.toThrow()
    expect(answer.body).toContain(dialogTexts.en.title)
    expect(answer.body).not.toMatch(/innerHTML|setAttribute\(['"]style|eval\(/)
  })

  test.each<[Record<string, string>, string, string]>([
    [{}, 'de-AT,de;q=0.9', dialogTexts.de.title],
    [{}, 'fr', dialogTexts.en.title],
    [{ lang: 'de' }, 'en', dialogTexts.de.title],
    [{ title: 'Oh no' }, 'en', 'Oh no'],
  ])('%j with %s says %s', async (more, language, title) => {
    const answer = await rig().send(path(more), { method: 'GET', headers: { 'accept-language': language } })
    expect(answer.body).toContain(JSON.stringify(title))
  })

  test('what a request says stays text', async () => {
    const hostile = '</script><script>alert(1)</script>\u2028"\\'
    const { body } = await rig().send(path({ name: hostile, title: hostile }), { method: 'GET' })
    const options = body.slice(body.lastIndexOf('showDialog({') + 'showDialog('.length, body.lastIndexOf(');\n})();'))
    expect(options).not.toMatch(/[<>\u2028]/)
    expect(JSON.parse(options)).toMatchObject({ name: hostile, texts: { title: hostile } })
  })

  test.each<[string, Record<string, string>, number]>([
    ['an unknown key', { dsn: dsnOf('e'.repeat(32)) }, 403],
    ['a disabled key', { dsn: dsnOf(disabledKey) }, 403],
    ['a key of another project', { dsn: dsnOf(otherKey, 7) }, 400],
    ['no DSN', { dsn: 'nope' }, 400],
    ['no event id', { eventId: 'nope' }, 400],
  ])('is refused for %s', async (_says, more, status) => {
    expect((await rig().send(path(more), { method: 'GET' })).status).toBe(status)
    expect((await rig().send(path(more), form(whole))).status).toBe(status)
  })
})

describe('the form', () => {
  test('becomes the envelope that an SDK would send', async () => {
    const before = rig().journal.records.length
    const answer = await rig().send(path(), form(whole))
    expect([answer.status, answer.headers['access-control-allow-origin'], answer.body]).toEqual([
      200,
      '*',
      JSON.stringify({ id: eventId }),
    ])
    const [record] = rig().journal.records.slice(before)
    const [header, item, payload] = String(record?.body).split('\n')
    expect([record?.head.kind, record?.head.projectId, header, item]).toEqual([
      'envelope',
      7,
      JSON.stringify({ event_id: eventId }),
      '{"type":"user_report"}',
    ])
    expect(JSON.parse(payload ?? '')).toEqual({ event_id: eventId, ...whole })
  })

  test.each<[string, Record<string, string>]>([
    ['no word', { ...whole, comments: ' \n' }],
    ['a wrong address', { ...whole, email: 'ann' }],
    ['nothing', {}],
  ])('with %s is refused and counted', async (_says, fields) => {
    rig().accept.drainOutcomes()
    const before = rig().journal.records.length
    expect((await rig().send(path(), form(fields))).status).toBe(400)
    expect(rig().journal.records.length).toBe(before)
    expect(rig().accept.drainOutcomes()).toMatchObject([
      { category: 'feedback', outcome: 'invalid', reason: 'bad_item', projectId: 7 },
    ])
  })

  test('that is too long is refused', async () => {
    expect((await rig().send(path(), form({ ...whole, comments: 'x'.repeat(70_000) }))).status).toBe(413)
  })

  test('takes from the rate of its key', async () => {
    const limited = await createRig({ key: { rateLimit: { count: 1, windowS: 60 } } })
    try {
      const statuses = [await limited.send(path(), form(whole)), await limited.send(path(), form(whole))].map(
        (entry) => entry.status,
      )
      expect(statuses).toEqual([200, 429])
      expect(limited.accept.drainOutcomes()).toMatchObject([{ category: 'feedback', outcome: 'rate_limited' }])
    } finally {
      await limited.close()
    }
  })
})

test.each([
  ['', 'en'],
  ['de', 'de'],
  ['fr,de;q=0.5', 'de'],
  ['en-GB,de', 'en'],
  ['dense', 'en'],
])('%j is answered in %s', (asked, language) => {
  expect(dialogLanguage(asked)).toBe(language)
})

test('both languages say everything', () => {
  expect(Object.keys(dialogTexts.de)).toEqual(Object.keys(dialogTexts.en))
})
