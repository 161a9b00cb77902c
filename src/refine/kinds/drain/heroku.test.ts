import { describe, expect, it } from 'vitest'
import { framesOf, herokuLine } from './heroku.ts'

const frames = (text: string, max = 10) => framesOf(Buffer.from(text), max)
const line = (text: string) => herokuLine(text, { bytes: 65_536 }).line
const time = '2026-11-27T04:00:00.250+00:00'
const router = (fields: string) => line(`<158>1 ${time} host heroku router - ${fields}`)

describe('frames of a body', () => {
  it.each([
    ['nothing', '', [], 0, false],
    ['one', '3 abc', ['abc'], 0, false],
    ['line breaks between', '3 abc\n\r\n2 de\n', ['abc', 'de'], 0, false],
    ['a count of bytes, not characters', '4 üü2 ab', ['üü', 'ab'], 0, false],
    ['a line break inside', '3 a\nb', ['a\nb'], 0, false],
    ['no count', 'abc', [], 0, true],
    ['a count of nothing', '0 2 ab', [], 0, true],
    ['no space', '3abc', [], 0, true],
    ['more than the body has', '2 ab9 c', ['ab'], 0, true],
    ['a negative count', '-3 abc', [], 0, true],
    ['a count beyond all bodies', `${'9'.repeat(400)} abc`, [], 0, true],
    ['a count alone', '12', [], 0, true],
  ])('%s', (_name, text, wanted, excess, isBroken) =>
    expect(frames(text)).toEqual({ frames: wanted, excess, isBroken }),
  )

  it('beyond the limit are counted', () => {
    expect(frames('1 a1 b1 c', 2)).toEqual({ frames: ['a', 'b'], excess: 1, isBroken: false })
    expect(frames('1 a1 bx', 1)).toEqual({ frames: ['a'], excess: 1, isBroken: true })
  })
})

describe('a frame', () => {
  it('of an application is its message, with the process as logger', () => {
    expect(line(`<190>1 ${time} host app web.1 - cart of 3\n`)).toMatchObject({
      timeUs: Date.parse(time) * 1000,
      severity: { level: 'info' },
      body: 'cart of 3',
      host: '',
      logger: 'web.1',
      origin: 'heroku',
      attributes: { 'heroku.source': 'app', 'heroku.process': 'web.1' },
      repaired: 0,
    })
  })

  it.each([
    ['a host of its own', `<190>1 ${time} d.1234 app web.1 - x`, { host: 'd.1234' }],
    ['no host', `<190>1 ${time} - app web.1 - x`, { host: '' }],
    ['an error', `<187>1 ${time} host app web.1 - x`, { severity: expect.objectContaining({ level: 'error' }) }],
    ['an empty message', `<190>1 ${time} host app web.1 -`, { body: '', logger: 'web.1', repaired: 0 }],
    ['fields of an application are text', `<190>1 ${time} host app web.1 - at=error`, { body: 'at=error' }],
    ['no time', '<190>1 - host app web.1 - x', { timeUs: undefined, body: 'x' }],
  ])('with %s', (_name, text, wanted) => expect(line(text)).toMatchObject(wanted))

  it.each(['', 'plain words', '<190>1 too few words', `<9999>1 ${time} host app web.1 - x`, `190 ${time} h a w - x`])(
    'of another form keeps all of its text: %j',
    (text) => expect(line(text)).toMatchObject({ body: text, logger: '', timeUs: undefined, repaired: 1 }),
  )
})

describe('a line of the router', () => {
  it('has its fields under the names of the conventions', () => {
    const text =
      'at=info method=GET path="/a b?c=d" host=shop.example fwd="1.2.3.4, 5.6.7.8" dyno=web.1 connect=1ms service=18ms status=200 bytes=13 protocol=https'
    expect(router(text)).toMatchObject({
      body: text,
      severity: { level: 'info' },
      attributes: {
        'http.request.method': 'GET',
        'url.path': '/a b?c=d',
        'server.address': 'shop.example',
        'client.address': '1.2.3.4',
        'heroku.service': 18,
        'heroku.connect': 1,
        'http.response.status_code': 200,
        'http.response.body.size': 13,
      },
    })
  })

  it.each([
    ['its level is in the text', 'at=error code=H12', 'error'],
    ['a level that is none leaves the priority', 'at=nothing', 'info'],
    ['no level leaves the priority', 'code=H12', 'info'],
  ])('%s', (_name, fields, level) => expect(router(fields).severity.level).toBe(level))

  it.each([
    ['ends at a key with other characters', 'a=1 B=2 c=3', { 'heroku.a': 1 }, 'heroku.c'],
    [
      'keeps a number beyond all safe ones as text',
      'a=1234567890123456',
      { 'heroku.a': '1234567890123456' },
      'heroku.b',
    ],
    ['takes a quote without an end to the end', 'a="b c=d', { 'heroku.a': 'b c=d' }, 'heroku.c'],
    ['has no field without a value sign', 'words only', {}, 'heroku.words'],
  ])('%s', (_name, fields, wanted, absent) => {
    const { attributes } = router(fields)
    expect(attributes).toMatchObject(wanted)
    expect(attributes).not.toHaveProperty([absent])
  })

  it('has at most forty fields', () => {
    const fields = Array.from({ length: 60 }, (_, at) => `${'f'.repeat((at % 30) + 1)}_${at < 30 ? 'a' : 'b'}=${at}`)
    const names = Object.keys(router(fields.join(' ')).attributes).filter((name) => /_[ab]$/.test(name))
    expect(names).toHaveLength(40)
  })
})
