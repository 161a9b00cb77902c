import { expect, test } from 'vitest'
import { dsnOf } from './dsn.ts'

test.each([
  ['http://localhost:9000', 'http://k@localhost:9000/7'],
  ['https://mishap.example', 'https://k@mishap.example/7'],
  ['https://mishap.example/', 'https://k@mishap.example/7'],
  ['https://a.example:8443/tools/mishap', 'https://k@a.example:8443/tools/mishap/7'],
])('%s', (url, expected) => expect(dsnOf(url, { publicKey: 'k', projectId: 7 })).toBe(expected))
