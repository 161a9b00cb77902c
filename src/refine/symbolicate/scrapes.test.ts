import { expect, test } from 'vitest'
import type { NormalEvent, NormalFrame } from '../../domain/event.ts'
import { refineEvent } from '../pipeline/fixture.cases.ts'
import { scrapesOf } from './scrapes.ts'

const url = 'https://cdn.test/a.js'
const frame = (more: Partial<NormalFrame> = {}): NormalFrame => ({
  abs_path: url,
  lineno: 1,
  colno: 2,
  in_app: true,
  ...more,
})
const event = (frames: NormalFrame[], raw?: NormalFrame[]) =>
  ({
    platform: 'javascript',
    release: 'r',
    dist: 'd',
    exception: { values: [{ stacktrace: { frames }, ...(raw ? { raw_stacktrace: { frames: raw } } : {}) }] },
  }) as unknown as NormalEvent
const wanted = [`r\nd\n${url}`]

test.each<[string, NormalEvent, string[]]>([
  ['a script without files', event([frame()]), wanted],
  ['a script that is missing', event([frame({ data: { symbolicated: false, reason: 'file_missing' } })]), wanted],
  ['each script once', event([frame(), frame({ colno: 9 })]), wanted],
  ['a fragment is no part of it', event([frame({ abs_path: `${url}#x` })]), wanted],
  [
    'one that was fetched before',
    event([frame({ abs_path: 'webpack://a.ts', data: { symbolicated: true, resolved_with: 'scraping' } })], [frame()]),
    wanted,
  ],
  [
    'not one that was uploaded',
    event([frame({ data: { symbolicated: true, resolved_with: 'debug-id' } })], [frame()]),
    [],
  ],
  ['not one whose map is missing', event([frame({ data: { symbolicated: false, reason: 'map_missing' } })]), []],
  ['no page', event([frame({ lineno: 0 })]), []],
  [
    'no file',
    event([frame({ abs_path: 'file:///a.js' }), frame({ abs_path: '/a.js' }), frame({ abs_path: 'app:///a.js' })]),
    [],
  ],
  ['nothing of a server', event([frame({ platform: 'node' })]), []],
  ['no endless address', event([frame({ abs_path: `${url}?${'x'.repeat(1000)}` })]), []],
])('%s', (_name, entry, want) => {
  expect(scrapesOf(entry)).toEqual(want)
})

test('one event asks for eight, and only where its project wants that', () => {
  const frames = Array.from({ length: 30 }, (_, at) => ({ abs_path: `https://cdn.test/${at}.js`, lineno: 1, colno: 1 }))
  const sent = { platform: 'javascript', exception: { values: [{ type: 'E', value: 'x', stacktrace: { frames } }] } }
  expect(refineEvent(sent, {}, { scrape: true }).effect.scrapes).toHaveLength(8)
  expect(refineEvent(sent).effect).not.toHaveProperty('scrapes')
})
