import { describe, expect, it } from 'vitest'
import { localPath, plainParts, safeHref } from './text.ts'

const mark = (code: string) => ({ mark: `U+${code}` })

describe('plainParts', () => {
  const cases: [string, string, ReturnType<typeof plainParts>][] = [
    ['plain', 'a < b', ['a < b']],
    ['empty', '', []],
    ['newline and tab are plain', 'a\n\tb', ['a\n\tb']],
    ['bidi override', 'a\u202Eb', ['a', mark('202E'), 'b']],
    ['zero width', '\u200Ba\uFEFF', [mark('200B'), 'a', mark('FEFF')]],
    ['control characters', 'a\u0000\u001Bb', ['a', mark('0000'), mark('001B'), 'b']],
    ['carriage return', 'a\rb', ['a', mark('000D'), 'b']],
    ['emoji stay whole', '👍🏽', ['👍🏽']],
    ['soft hyphen', 'a\u00ADb', ['a', mark('00AD'), 'b']],
  ]
  it.each(cases)('%s', (_name, text, parts) => expect(plainParts(text)).toEqual(parts))
})

describe('safeHref', () => {
  const cases: [unknown, string | undefined][] = [
    ['https://a.example/x?y#z', 'https://a.example/x?y#z'],
    ['http://a.example', 'http://a.example/'],
    ['mailto:a@b.example', 'mailto:a@b.example'],
    ['javascript:alert(1)', undefined],
    ['java\nscript:alert(1)', undefined],
    [' javascript:alert(1)', undefined],
    ['\u0001javascript:alert(1)', undefined],
    ['data:text/html,x', undefined],
    ['vbscript:x', undefined],
    ['blob:http://a/b', undefined],
    ['file:///etc/passwd', undefined],
    ['/relative', undefined],
    ['//host/x', undefined],
    ['https://a.example/\u202Egnp', undefined],
    ['https://аpple.example/', 'https://xn--pple-43d.example/'],
    [`https://a.example/${'x'.repeat(5000)}`, undefined],
    [7, undefined],
    [null, undefined],
  ]
  it.each(cases)('%j', (value, href) => expect(safeHref(value)).toBe(href))
})

describe('localPath', () => {
  const cases: [unknown, string][] = [
    ['/o/a/issues?q=x', '/o/a/issues?q=x'],
    ['/', '/'],
    ['//evil.example', '/'],
    ['/\\evil.example', '/'],
    ['/a\\b', '/'],
    ['https://evil.example', '/'],
    ['javascript:alert(1)', '/'],
    ['/\t/evil.example', '/'],
    ['/a\nb', '/'],
    ['', '/'],
    [undefined, '/'],
    [['/a', '/b'], '/'],
    [`/${'x'.repeat(3000)}`, '/'],
  ]
  it.each(cases)('%j', (value, path) => expect(localPath(value)).toBe(path))
})
