import { describe, expect, test } from 'vitest'
import type { GroupingNode } from '../../domain/grouping.ts'
import { createRuleCache, group, hashesIn, hashesOf } from '../fingerprint/fingerprint.ts'
import { refineEvent } from './fixture.cases.ts'
import { createGroupingPreview } from './grouping.ts'

const desk = createGroupingPreview()
const frame = (name: string, more: object = {}) => ({
  filename: `https://a.test/${name}.js`,
  function: name,
  lineno: 1,
  colno: 1,
  in_app: true,
  ...more,
})
const thrown = (names: string[], value = 'no total', type = 'TypeError') => ({
  platform: 'javascript',
  exception: { values: [{ type, value, stacktrace: { frames: names.map((name) => frame(name)) } }] },
})
const eventOf = (sent: unknown) => refineEvent(sent).event
const explain = (sent: unknown) => desk.explain(eventOf(sent), undefined)

/** Nodes of a tree with an id, at any depth. */
function parts(node: GroupingNode, id: string): GroupingNode[] {
  const below = node.values.flatMap((entry) => (typeof entry === 'string' ? [] : parts(entry, id)))
  return node.id === id ? [node, ...below] : below
}

describe('the tree', () => {
  test('says of each part whether it counts and why not', () => {
    const sent = thrown(['run', 'pay', 'lib'])
    sent.exception.values[0]?.stacktrace.frames.splice(2, 1, frame('lib', { in_app: false }))
    const [app, system] = explain(sent).variants
    expect(app?.contributes).toBe(true)
    const frames = parts(app?.component as GroupingNode, 'frame')
    expect(frames.map((entry) => [entry.contributes, entry.hint])).toEqual([
      [true, undefined],
      [true, undefined],
      [false, 'not-in-app'],
    ])
    expect(parts(system?.component as GroupingNode, 'frame').every((part) => part.contributes)).toBe(true)
    expect(parts(app?.component as GroupingNode, 'value')).toMatchObject([{ contributes: false, hint: 'stack-first' }])
    expect(parts(app?.component as GroupingNode, 'filename')[0]).toMatchObject({ contributes: false, hint: 'url-file' })
  })
  test('its values that count are what was hashed, in order', () => {
    const event = eventOf(thrown(['run', 'pay']))
    expect(desk.explain(event, undefined).hashes).toEqual(hashesOf(event))
  })
  test.each<[string, unknown, string, string]>([
    [
      'a fingerprint of the client',
      { ...thrown(['a']), fingerprint: ['x'] },
      'custom_fingerprint',
      'fingerprint-first',
    ],
    ['a chunk that did not load', thrown(['a'], 'x', 'ChunkLoadError'), 'built_in_fingerprint', 'fingerprint-first'],
  ])('%s takes precedence over the default', (_, sent, name, hint) => {
    const { variants } = explain(sent)
    expect(variants[0]).toMatchObject({ name, contributes: true })
    expect(variants[1]).toMatchObject({ contributes: false, hint })
  })
  test('a message beside an exception is told as left out', () => {
    const { variants } = explain({ ...thrown(['a']), message: 'said too' })
    expect(variants.at(-1)).toMatchObject({ name: 'default', contributes: false, hint: 'exception-first' })
  })
  test('of a function that a source line explains better', () => {
    const mapped = frame('q', { context_line: 'this.fetchData();', data: { sourcemap: 'https://a.test/x.map' } })
    const of = (name: string) => {
      const sent = thrown(['x'])
      sent.exception.values[0]?.stacktrace.frames.splice(0, 1, { ...mapped, function: name })
      return explain(sent)
    }
    expect(parts(of('q').variants[0]?.component as GroupingNode, 'function')[0]?.hint).toBe('context-first')
    expect(of('q').hashes[0]).toBe(of('fetchData').hashes[0])
  })
})

describe('likeness', () => {
  const featuresOf = (sent: unknown) => desk.featuresOf(eventOf(sent))
  const like = (a: unknown, b: unknown) => desk.likeness(featuresOf(a), featuresOf(b))
  test('of an event with itself is 1', () => {
    expect(like(thrown(['a', 'b']), thrown(['a', 'b']))).toEqual({ stack: 1, message: 1, score: 1 })
  })
  test('frames near the crash count most', () => {
    const near = like(thrown(['x', 'b', 'c']), thrown(['a', 'b', 'c'])).stack
    const far = like(thrown(['a', 'b', 'x']), thrown(['a', 'b', 'c'])).stack
    expect(near).toBeGreaterThan(0.6)
    expect(far).toBeLessThan(near / 1.5)
  })
  test('without a stack the message decides; nothing in common is 0', () => {
    const say = (message: string) => ({ message })
    expect(like(say('user 12 gone'), say('user 99 gone')).score).toBeGreaterThan(0.5)
    expect(like(say('alpha beta'), say('gamma delta')).score).toBe(0)
    expect(like(thrown(['a'], 'one', 'A'), thrown(['b'], 'two', 'B')).score).toBe(0)
  })
})

describe('a project that changes over', () => {
  const settings = { fingerprintRules: '', stackRules: '', version: 2, secondary: 1 }
  const gone = { ...thrown(['load'], 'Importing a module script failed.'), release: 'shop@1.0.0' }
  const event = eventOf(gone)
  const hashesBy = (version: number) => hashesIn(group(event, { version }, createRuleCache()).variants)
  const both = [...hashesBy(2), ...hashesBy(1)]

  test('groups by the new version; hashes of the one before come behind', () => {
    const { variants, secondary, version } = group(event, settings, createRuleCache())
    expect([version, hashesIn(variants), hashesIn(secondary)]).toEqual([2, hashesBy(2), hashesBy(1)])
    expect(both).toHaveLength(2)
    // Both hashes are in the row, so a preview finds the issue by either.
    expect(desk.explain(event, settings).hashes).toEqual(both)
  })
  test('reaches the row: the new hash stands for the event, the old one finds its issue', () => {
    const { row } = refineEvent(gone, {}, { grouping: settings })
    expect([row.hashes, row.groupHash]).toEqual([both, both[0]])
  })
  test.each([undefined, {}, { version: 7 }])('%j is version 1', (config) => {
    const { version, variants } = group(event, config, createRuleCache())
    expect([version, hashesIn(variants)]).toEqual([1, hashesBy(1)])
  })
  test('what both group alike has its hash once', () => {
    const plain = eventOf(thrown(['a']))
    expect(desk.explain(plain, settings).hashes).toEqual(hashesOf(plain))
  })
})
