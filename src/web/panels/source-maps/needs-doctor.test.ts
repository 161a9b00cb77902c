import { describe, expect, test } from 'vitest'
import type { RestEvent, RestFrame } from '../../../contract/events.ts'
import { needsDoctor } from './needs-doctor.ts'

const frame = (more: Partial<RestFrame>): RestFrame => ({
  filename: 'https://a.test/app.js',
  absPath: 'https://a.test/app.js',
  module: null,
  function: 'a',
  rawFunction: null,
  lineNo: 1,
  colNo: 1,
  context: [],
  inApp: true,
  vars: null,
  package: null,
  platform: null,
  instructionAddr: null,
  data: null,
  ...more,
})
const data = (symbolicated: boolean, reason: NonNullable<RestFrame['data']>['reason'] = null) => ({
  data: { symbolicated, sourcemap: null, resolvedWith: null, reason },
})

function eventOf(frames: RestFrame[], platform = 'javascript'): RestEvent {
  const stacktrace = { frames, framesOmitted: null, hasSystemFrames: false }
  const value = {
    type: 'E',
    value: 'x',
    module: null,
    threadId: null,
    mechanism: null,
    stacktrace,
    rawStacktrace: null,
  }
  const entries = [{ type: 'exception', data: { values: [value], hasSystemFrames: false } }]
  return { platform, entries } as unknown as RestEvent
}

describe('the doctor is asked', () => {
  test.each<[string, RestFrame[], string, boolean]>([
    ['a frame that is not mapped', [frame(data(true)), frame(data(false, 'file_missing'))], 'javascript', true],
    ['the same of Node', [frame({ ...data(false, 'map_missing'), absPath: '/srv/a.js' })], 'node', true],
    ['mapped without its source', [frame(data(true, 'source_missing'))], 'javascript', true],
    ['all mapped', [frame(data(true))], 'javascript', false],
    ['nothing was looked up, a script of a page', [frame({})], 'javascript', true],
    ['nothing was looked up, with source lines', [frame({ context: [[1, 'a']] })], 'javascript', false],
    ['nothing was looked up, of Node', [frame({ absPath: '/srv/a.js', filename: '/srv/a.js' })], 'node', false],
    ['nothing was looked up, in a page', [frame({ absPath: 'https://a.test/cart' })], 'javascript', false],
    ['native code', [frame({ absPath: '[native code]', filename: '[native code]' })], 'javascript', false],
    ['another language', [frame({ absPath: 'https://a.test/a.js' })], 'python', false],
    ['no frame', [], 'javascript', false],
  ])('%s', (_name, frames, platform, wants) => {
    expect(needsDoctor(eventOf(frames, platform))).toBe(wants)
  })
})
