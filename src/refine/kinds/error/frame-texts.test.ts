import { describe, expect, test } from 'vitest'
import { refineEvent } from '../../pipeline/fixture.cases.ts'

type Sent = { [key: string]: unknown }
const frame = (name: string, more: Sent = {}): Sent => ({ function: name, in_app: true, ...more })
const exceptions = (...frames: Sent[][]): Sent => ({
  platform: 'python',
  exception: { values: frames.map((entry) => ({ type: 'E', value: 'v', stacktrace: { frames: entry } })) },
})
const textsOf = (event: Sent): string[] => refineEvent(event).row.frames

describe('what is found of frames', () => {
  test.each<[string, Sent, string[]]>([
    [
      'each text once, from the crash outwards',
      exceptions([frame('main'), frame('run', { in_app: false }), frame('pay')]),
      ['function=pay', 'in_app=true', 'function=run', 'in_app=false', 'function=main'],
    ],
    [
      'the newest exception first, then its causes',
      exceptions([frame('cause')], [frame('crash')]),
      ['function=crash', 'in_app=true', 'function=cause'],
    ],
    [
      'file, path, module and package',
      exceptions([frame('f', { filename: 'a.py', abs_path: '/srv/a.py', module: 'a', package: 'lib' })]),
      ['function=f', 'filename=a.py', 'abs_path=/srv/a.py', 'module=a', 'package=lib', 'in_app=true'],
    ],
    [
      'the address that a browser sends as the file',
      { ...exceptions([frame('f', { filename: 'https://shop.test/a.js' })]), platform: 'javascript' },
      ['function=f', 'filename=/a.js', 'abs_path=https://shop.test/a.js', 'in_app=true', 'symbolicated_in_app=false'],
    ],
    ['a frame that says nothing', exceptions([{ lineno: 5 }]), ['in_app=false']],
    ['no frames', { message: 'hello' }, []],
    [
      'of a message the crashed thread',
      {
        platform: 'python',
        message: 'hello',
        threads: {
          values: [
            { id: 1, stacktrace: { frames: [frame('other')] } },
            { id: 2, crashed: true, stacktrace: { frames: [frame('crashed')] } },
          ],
        },
      },
      ['function=crashed', 'in_app=true'],
    ],
    [
      'of a message its own stack',
      { platform: 'python', message: 'hello', stacktrace: { frames: [frame('own')] } },
      ['function=own', 'in_app=true'],
    ],
    [
      'the thread that the exception is of',
      {
        platform: 'cocoa',
        exception: { values: [{ type: 'E', value: 'v', thread_id: 7 }] },
        threads: {
          values: [
            { id: 1, crashed: true, main: false },
            { id: 7, main: true },
          ],
        },
      },
      ['main_thread=true'],
    ],
    [
      'the crashed thread where the exception names none',
      {
        platform: 'cocoa',
        message: 'hello',
        threads: {
          values: [
            { id: 1, current: true, main: true },
            { id: 2, crashed: true, main: false },
          ],
        },
      },
      ['main_thread=false'],
    ],
    [
      'the thread that the exception names, for the stack as well',
      {
        platform: 'cocoa',
        exception: { values: [{ type: 'E', value: 'v', thread_id: 7 }] },
        threads: {
          values: [
            { id: 1, current: true, main: true, stacktrace: { frames: [frame('other')] } },
            { id: 7, stacktrace: { frames: [frame('crashed')] } },
          ],
        },
      },
      ['function=crashed', 'in_app=true', 'main_thread=false'],
    ],
    [
      'threads of which none is said to be the main one',
      { platform: 'python', message: 'hello', threads: { values: [{ id: 1, crashed: true }] } },
      [],
    ],
  ])('%s', (_name, sent, texts) => {
    expect(textsOf(sent)).toEqual(texts)
  })

  test('of very many frames those nearest the crash, of all exceptions together', () => {
    const named = (what: string, count: number) => Array.from({ length: count }, (_, n) => frame(`${what}${n}`))
    const texts = textsOf(exceptions(named('cause', 80), named('crash', 60))).filter((text) => text !== 'in_app=true')
    expect(texts).toHaveLength(100)
    expect(texts[0]).toBe('function=crash59')
    expect(texts[59]).toBe('function=crash0')
    expect(texts.at(-1)).toBe('function=cause40')
  })

  test('of a long value its beginning, never half a sign', () => {
    const [text = ''] = textsOf(exceptions([frame(`${'x'.repeat(299)}😀${'y'.repeat(100)}`)]))
    expect(text).toBe(`function=${'x'.repeat(299)}\ufffd`)
  })
})
