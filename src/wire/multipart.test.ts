import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { MultipartScan, parseMultipart, readBoundary } from './multipart.ts'

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

describe('a scan of pieces', () => {
  const bytes = body(
    'Content-Disposition: form-data; name="a"\r\n\r\n1',
    'Content-Disposition: form-data; name="b"; filename="x/y.dmp"\r\n\r\nx--xyz no\r\n-',
    'Content-Disposition: form-data; name="c"\r\n\r\n',
  )
  const scanned = (size: number, keep = 1000) => {
    const scan = new MultipartScan('xyz', () => keep)
    for (let at = 0; at < bytes.length; at += size) scan.push(bytes.subarray(at, at + size))
    return scan
  }

  test('agrees with the parser, whatever the pieces', () => {
    const { value } = parseMultipart(bytes, type)
    const wanted = value?.map((part) => [part.name, part.filename, part.bytes.length, part.bytes.toString()])
    expect(wanted).toHaveLength(3)
    for (let size = 1; size <= bytes.length; size++) {
      const scan = scanned(size)
      const found = scan.parts.map((part) => [part.name, part.filename, part.bytes, part.first.toString()])
      expect([size, scan.closed, scan.broken, found]).toEqual([size, true, undefined, wanted])
    }
  })

  test.each([0, 1, 4])('keeps %i first bytes of a part and counts the others', (keep) => {
    for (const size of [1, 7, bytes.length])
      expect(scanned(size, keep).parts.map((part) => [part.first.length, part.bytes])).toEqual([
        [Math.min(keep, 1), 1],
        [keep, 12],
        [0, 0],
      ])
  })

  test('a body that is not closed', () => {
    const scan = new MultipartScan('xyz')
    scan.push(bytes.subarray(0, bytes.length - 6))
    expect([scan.closed, scan.parts.length]).toEqual([false, 3])
  })

  test.each([1000, 1])('a head that does not end is broken, not collected (pieces of %i)', (size) => {
    const scan = new MultipartScan('xyz')
    scan.push(Buffer.from('--xyz\r\n'))
    for (let sent = 0; sent < 100_000 && scan.broken === undefined; sent += size) scan.push(Buffer.alloc(size, 'a'))
    expect(scan.broken).toBe('the head of a part does not end')
  })
})
