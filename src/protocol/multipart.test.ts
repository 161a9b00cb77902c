import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MultipartCount, parseMultipart, readBoundary } from './multipart.ts'

const type = 'multipart/form-data; boundary=xyz'
const body = (...parts: string[]) => Buffer.from(`${parts.map((part) => `--xyz\r\n${part}\r\n`).join('')}--xyz--\r\n`)
const read = (bytes: Buffer, contentType = type) => {
  const { value, errors } = parseMultipart(bytes, contentType)
  return {
    errors,
    parts: value?.map(({ name, filename, contentType: own, bytes: content }) => ({
      name,
      filename,
      type: own,
      text: content.toString(),
    })),
  }
}

describe('parseMultipart', () => {
  test.each([
    [
      'a field',
      body('Content-Disposition: form-data; name="a"\r\n\r\nhello'),
      [{ name: 'a', filename: undefined, type: undefined, text: 'hello' }],
    ],
    [
      'a file',
      body('content-disposition: form-data; name="f"; filename="x.txt"\r\nContent-Type: text/plain\r\n\r\na\r\nb'),
      [{ name: 'f', filename: 'x.txt', type: 'text/plain', text: 'a\r\nb' }],
    ],
    [
      'an empty part',
      body('Content-Disposition: form-data; name=a\r\n\r\n'),
      [{ name: 'a', filename: undefined, type: undefined, text: '' }],
    ],
    [
      'a folder in the name',
      body('Content-Disposition: form-data; name="f"; filename="../../etc/x"\r\n\r\n1'),
      [{ name: 'f', filename: 'x', type: undefined, text: '1' }],
    ],
    [
      'a folder of another kind',
      body('Content-Disposition: form-data; name="f"; filename="C:\\\\tmp\\\\x"\r\n\r\n1'),
      [{ name: 'f', filename: 'x', type: undefined, text: '1' }],
    ],
    [
      'an extended name',
      body("Content-Disposition: form-data; name=f; filename=a.txt; filename*=UTF-8''caf%C3%A9.txt\r\n\r\n1"),
      [{ name: 'f', filename: 'café.txt', type: undefined, text: '1' }],
    ],
    [
      'the boundary inside a line',
      body('Content-Disposition: form-data; name=a\r\n\r\nx--xyz y'),
      [{ name: 'a', filename: undefined, type: undefined, text: 'x--xyz y' }],
    ],
    ['no parts', Buffer.from('--xyz--'), []],
  ])('%s', (_name, bytes, wanted) => {
    expect(read(bytes)).toEqual({ errors: [], parts: wanted })
  })

  test.each([
    ['no boundary in the type', body('a: b\r\n\r\n'), 'text/plain'],
    ['another boundary', body('a: b\r\n\r\n'), 'multipart/form-data; boundary=other'],
    ['not closed', Buffer.from('--xyz\r\na: b\r\n\r\nhello'), type],
    ['a head without end', Buffer.from('--xyz\r\na: b\r\n--xyz--'), type],
    ['nothing behind the boundary', Buffer.from('--xyz'), type],
    ['empty', Buffer.alloc(0), type],
  ])('refuses: %s', (_name, bytes, contentType) => {
    const { value, errors } = parseMultipart(bytes, contentType)
    expect(value).toBeUndefined()
    expect(errors).toHaveLength(1)
  })

  test('counts no further than it may', () => {
    const many = body(...Array.from({ length: 4 }, () => 'a: b\r\n\r\n1'))
    expect(parseMultipart(many, type, 3).value).toBeUndefined()
    expect(parseMultipart(many, type, 4).value).toHaveLength(4)
  })

  test('reads what sentry-cli sent', () => {
    const folder = join(import.meta.dirname, '../../fixtures/envelopes/cli')
    for (const name of ['chunk-upload-1', 'chunk-upload-2']) {
      const { headers } = JSON.parse(readFileSync(join(folder, `${name}.http.json`), 'utf8')) as {
        headers: Record<string, string>
      }
      const { value } = parseMultipart(readFileSync(join(folder, `${name}.multipart`)), headers['content-type'] ?? '')
      expect(value).toHaveLength(1)
      expect(value?.[0]?.filename).toMatch(/^[\da-f]{40}$/)
    }
  })

  test('never throws, and every part lies inside the body', () => {
    const piece = fc.constantFrom(
      '--xyz',
      '--xyz--',
      '\r\n',
      '\r\n\r\n',
      'a: b',
      'Content-Disposition: form-data; name="',
      '"',
      ';',
      '%',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 5 })), { maxLength: 30 }), (pieces) => {
        const bytes = Buffer.from(pieces.join(''))
        const { value, errors } = parseMultipart(bytes, type)
        expect(errors.length === 0).toBe(value !== undefined)
        for (const part of value ?? []) expect(part.at + part.bytes.length).toBeLessThanOrEqual(bytes.length)
      }),
      { seed: 2, numRuns: 2000 },
    )
  })
})

test.each([
  ['multipart/form-data; boundary=abc', 'abc'],
  ['Multipart/Form-Data; charset=utf-8; Boundary="a b"', 'a b'],
  ['multipart/form-data', undefined],
  ['multipart/mixed; boundary=abc', undefined],
  [`multipart/form-data; boundary=${'a'.repeat(71)}`, undefined],
])('readBoundary %s', (text, wanted) => {
  expect(readBoundary(text)).toBe(wanted)
})

test('MultipartCount agrees with the parser, whatever the pieces', () => {
  const bytes = body('a: b\r\n\r\n1', 'a: b\r\n\r\nx--xyz no\r\n-', 'a: b\r\n\r\n')
  for (let size = 1; size <= bytes.length; size++) {
    const count = new MultipartCount('xyz')
    for (let at = 0; at < bytes.length; at += size) count.push(bytes.subarray(at, at + size))
    expect([size, count.parts, count.closed]).toEqual([size, 3, true])
  }
  const open = new MultipartCount('xyz')
  open.push(bytes.subarray(0, bytes.length - 6))
  expect(open.closed).toBe(false)
})
