import { describe, expect, it } from 'vitest'
import type { RestException, RestFrame, RestThread } from '../../../../contract/events.ts'
import { sampleFrame } from '../sample.cases.ts'
import {
  chainOf,
  type FrameMode,
  firstOpen,
  frameCounts,
  frameLocation,
  frameText,
  libraryOf,
  rawTrace,
  runsOf,
  threadsOf,
} from './frames.ts'

const frame = sampleFrame
const app = (name: string) => frame({ function: name, filename: `src/${name}.ts`, inApp: true })
const lib = (name: string) => frame({ function: 'f', absPath: `/srv/node_modules/${name}/index.js` })

describe('libraryOf', () => {
  it.each<[string, Partial<RestFrame>, string | undefined]>([
    ['npm', { absPath: '/a/node_modules/react-dom/x.js' }, 'react-dom'],
    ['npm with scope', { absPath: '/a/node_modules/@sentry/core/x.js' }, '@sentry/core'],
    ['npm, nested: the innermost', { filename: 'node_modules/a/node_modules/b/x.js' }, 'b'],
    ['pnpm', { absPath: '/n/node_modules/.pnpm/hono@4/node_modules/hono/x.js' }, 'hono'],
    ['python', { absPath: '/usr/lib/python3/dist-packages/django/core.py' }, 'django'],
    ['python stdlib', { absPath: '/usr/lib/python3.12/json/decoder.py' }, 'python'],
    ['node', { filename: 'node:internal/process/task_queues' }, 'node'],
    ['native package', { package: '/usr/lib/libfoo.so' }, 'libfoo.so'],
    ['module', { module: 'java.util.List' }, 'java'],
    ['nothing', {}, undefined],
  ])('%s', (_name, value, expected) => expect(libraryOf(frame(value))).toBe(expected))
})

describe('runsOf', () => {
  const show = (frames: RestFrame[], mode: FrameMode) =>
    runsOf(frames, mode).map((run) =>
      run.kind === 'frame'
        ? `${run.index}`
        : `[${run.frames.map((item) => item.index).join(' ')}: ${run.names.join(',')}]`,
    )
  it.each<[string, RestFrame[], FrameMode, string[]]>([
    ['newest first', [app('a'), app('b')], 'app', ['1', '0']],
    ['folds runs', [lib('x'), lib('x'), app('a'), lib('y'), lib('z')], 'app', ['[4 3: z,y]', '2', '[1 0: x]']],
    ['all', [lib('x'), app('a')], 'all', ['1', '0']],
    ['libraries only', [lib('x'), lib('y')], 'app', ['1', '0']],
    ['none', [], 'app', []],
  ])('%s', (_name, frames, mode, expected) => expect(show(frames, mode)).toEqual(expected))
})

describe('firstOpen', () => {
  it.each<[string, RestFrame[], number]>([
    ['newest of the application', [app('a'), app('b'), lib('x')], 1],
    ['else with source', [frame({ context: [[1, 'x']] }), lib('x')], 0],
    ['else the newest', [lib('x'), lib('y')], 1],
    ['none', [], -1],
  ])('%s', (_name, frames, expected) => expect(firstOpen(frames)).toBe(expected))
})

describe('placeOf and rawTrace', () => {
  it.each<[Partial<RestFrame>, string]>([
    [{ filename: 'a.js', lineNo: 3, colNo: 7 }, 'a.js:3:7'],
    [{ filename: 'a.py', lineNo: 3 }, 'a.py:3'],
    [{ absPath: '/a.js' }, '/a.js'],
    [{ instructionAddr: '0x10' }, '0x10'],
    [{}, ''],
  ])('%o', (value, expected) => expect(frameLocation(frame(value))).toBe(expected))
  it('prints newest first', () => {
    const frames = [frame({ function: 'main', filename: 'm.js', lineNo: 1, colNo: 2 }), frame({ filename: 'n.js' })]
    expect(rawTrace({ type: 'TypeError', value: 'x is not a function' }, frames)).toBe(
      'TypeError: x is not a function\n    at n.js\n    at main (m.js:1:2)',
    )
  })
  it('has a head without a type', () => expect(rawTrace({ type: null, value: null }, [])).toBe('Error'))
})

describe('order', () => {
  it('shows the thrown exception before its causes', () => {
    const entry = (type: string): RestException => ({
      type,
      value: null,
      module: null,
      threadId: null,
      mechanism: null,
      stacktrace: null,
      rawStacktrace: null,
    })
    expect(chainOf([entry('cause'), entry('thrown')]).map((item) => `${item.index} ${item.exception.type}`)).toEqual([
      '1 thrown',
      '0 cause',
    ])
  })
  it('shows the crashed thread first', () => {
    const item = (id: number, more: Partial<RestThread>): RestThread => ({
      id,
      name: null,
      crashed: false,
      current: false,
      state: null,
      stacktrace: null,
      ...more,
    })
    expect(threadsOf([item(1, {}), item(2, { current: true }), item(3, { crashed: true })]).map((t) => t.id)).toEqual([
      3, 2, 1,
    ])
  })
})

const thrown = (frames: RestFrame[]): RestException => ({
  type: 'E',
  value: null,
  module: null,
  threadId: null,
  mechanism: null,
  stacktrace: { frames, framesOmitted: null, hasSystemFrames: false },
  rawStacktrace: null,
})

it('counts the frames of the thrown exception, not of its causes', () => {
  expect(frameCounts([thrown([app('x')]), thrown([lib('y'), app('a'), lib('z')])])).toEqual({ own: 1, all: 3 })
  expect(frameCounts([])).toEqual({ own: 0, all: 0 })
})

it('copies a frame with its lines, the failing one marked', () => {
  const context: RestFrame['context'] = [
    [9, 'a'],
    [10, 'b()'],
  ]
  expect(frameText(frame({ function: 'f', filename: 'x.ts', lineNo: 10, context }))).toBe(
    'f x.ts:10\n      9 a\n>    10 b()',
  )
})
