import { describe, expect, test } from 'vitest'
import { ruleSentence, rulesMax } from '../../domain/alerts/rule-text.ts'
import { readFingerprintRules } from '../../domain/fingerprint-rules.ts'
import { readStackRules } from '../../domain/stack-rules.ts'
import type { GroupingSettings } from '../../store/meta/meta.ts'
import { refineEvent } from '../pipeline/fixture.cases.ts'
import { createGroupingPreview } from '../pipeline/grouping.ts'
import { glob, pathGlob, pathTextOf } from './glob.ts'
import { applyStackRules, compileStackRules } from './stack-rules.ts'
import { trimNative } from './trim.ts'

const py = (name: string, more: object = {}) => ({
  filename: `app/${name}.py`,
  abs_path: `/srv/app/${name}.py`,
  module: `app.${name}`,
  function: name,
  lineno: 1,
  in_app: true,
  ...more,
})
const event = (frames: object[] = [py('outer'), py('inner')], more: object = {}, entry: object = {}) => ({
  platform: 'python',
  transaction: '/pay',
  logger: 'shop',
  release: 'shop@2',
  tags: { area: 'cart' },
  sdk: { name: 'sentry.python', version: '2.0.0' },
  exception: { values: [{ type: 'KeyError', value: 'no such key', stacktrace: { frames }, ...entry }] },
  ...more,
})
const settingsOf = (fingerprintRules: string, stackRules = ''): { grouping: GroupingSettings } => ({
  grouping: { fingerprintRules, stackRules, version: 1 },
})
const grouped = (sent: unknown, fingerprintRules: string, stackRules = '') =>
  refineEvent(sent, {}, settingsOf(fingerprintRules, stackRules)).event
const first = (sent: unknown, rules: string, stack = '') => grouped(sent, rules, stack).findings.grouping.variants[0]

describe('patterns', () => {
  test.each<[string, string, object, boolean]>([
    ['abc', 'abc', {}, true],
    ['abc', 'ABC', {}, false],
    ['abc', 'ABC', { ignoreCase: true }, true],
    ['a*c', 'abbbc', {}, true],
    ['a*c', 'abbb', {}, false],
    ['*b', 'ab', {}, true],
    ['b*', 'ab', {}, false],
    ['*b*', 'abc', {}, true],
    ['*', '', {}, true],
    ['a?c', 'abc', {}, true],
    ['a?c', 'ac', {}, false],
    ['[ab]x', 'bx', {}, true],
    ['[!ab]x', 'bx', {}, false],
    ['[a-c]x', 'cx', {}, true],
    ['[a', '[a', {}, true],
    ['a[]b]c', 'a]c', {}, true],
    ['x[!a]', 'x/', {}, true],
    ['a?😀*b', 'ax😀zb', {}, true],
    ['a?b*', 'a😀b', {}, true],
    ['[😀é-ñ]x*', '😀x', {}, true],
    ['[😀é-ñ]x*', 'êx', {}, true],
    ['*[é-ñ]', 'aü', {}, false],
    [`*${'ab'.repeat(60)}?*[xy]`, `-${'ab'.repeat(60)}-z-x`, {}, true],
    [`*${'ab'.repeat(60)}?*[xy]`, `-${'ab'.repeat(60)}-z-z`, {}, false],
  ])('%s of %s by %j: %s', (pattern, text, options, expected) => expect(glob(pattern, options)(text)).toBe(expected))
  test.each<[string, string, boolean]>([
    ['src/*.js', 'src/a.js', true],
    ['src/*.js', 'src/a/b.js', false],
    ['src/**.js', 'src/a/b.js', true],
    ['**/x/*', '/a/b/x/y', true],
    ['**/src/*', 'src/x', true],
    ['/src/*', 'src/x', true],
    ['*/src/?', 'src/x', true],
    ['**/vendor/**', 'vendor/x', true],
    ['**/vendor/**', '/vendors/x', false],
    ['c:/a/*', 'C:\\a\\b', true],
    ['src/?', 'src//', false],
    ['src/[!a]', 'src/b', true],
  ])('%s of the path %s: %s', (pattern, path, expected) => expect(pathGlob(pattern)(pathTextOf(path))).toBe(expected))

  test('end for any pattern: a backtracking engine would need longer than the universe is old', () => {
    const matches = glob(`${'*a'.repeat(60)}*b*c`)
    expect([matches('a'.repeat(8000)), matches(`${'a'.repeat(8000)}bc`)]).toEqual([false, true])
  })
})

describe('hostile and many rules', () => {
  const inAppOf = (rules: string, frames: object[]) => {
    const { event: stored } = refineEvent(event(frames))
    applyStackRules(compileStackRules(rules), stored)
    const ruled = stored.exception?.values.flatMap((exception) => exception.stacktrace?.frames ?? []) ?? []
    return [ruled.length, ruled.filter((frame) => frame.in_app).length]
  }
  const named = (path: (n: number) => string, count: number) =>
    Array.from({ length: count }, (_, n) => py(`f${n}`, { abs_path: path(n), filename: path(n) }))
  test('120 lines full of stars and a stack of long paths', () => {
    const rules = Array.from({ length: 120 }, (_, n) => `path:${'**a'.repeat(70)}*[b]${n} -app`).join('\n')
    expect(compileStackRules(rules)).toHaveLength(120)
    const frames = named((n) => `${'a'.repeat(200)}c${n}`, 250)
    expect(inAppOf(rules, [...frames, py('b', { abs_path: `${'a'.repeat(200)}b7` })])).toEqual([250, 249])
  })
  test('350 lines and paths that no event had before', () => {
    const rules = Array.from({ length: 350 }, (_, n) => `stack.abs_path:**/vendor${n}/*.js -app`).join('\n')
    const frames = named((n) => `/srv/app/node_modules/p${n}/dist/f.js`, 60)
    expect(inAppOf(rules, [...frames, py('v', { abs_path: '/srv/vendor349/f.js' })])).toEqual([61, 60])
  })
})

describe('fingerprint rules', () => {
  test.each([
    ['error.type:KeyError -> a'],
    ['type:keyerror -> a'],
    ['error.value:"no such*" -> a'],
    ['message:"*SUCH KEY" -> a'],
    ['logger:shop -> a'],
    ['level:error -> a'],
    ['tags.area:cart -> a'],
    ['tags.release:shop@* -> a'],
    ['sdk:sentry.python -> a'],
    ['family:other -> a'],
    ['family:native,other -> a'],
    ['release:shop@* -> a'],
    ['stack.module:app.inner -> a'],
    ['stack.function:inner -> a'],
    ['stack.abs_path:/srv/app/* -> a'],
    ['path:**/inner.py -> a'],
    ['app:yes function:outer -> a'],
    ['!error.type:Other -> a'],
    ['!tags.none:x -> a'],
    ['error.type:KeyError logger:shop -> a'],
    ['error.type:Nothing -> b\nerror.type:KeyError -> a\ntype:* -> c'],
  ])('%s', (rules) => expect(first(event(), rules)).toMatchObject({ name: 'custom_fingerprint', values: ['a'] }))

  test.each([
    ['error.type:Key -> a'],
    ['error.value:"NO SUCH*" -> a'],
    ['level:warning -> a'],
    ['app:no -> a'],
    // Both match, but on two different frames.
    ['function:outer module:app.inner -> a'],
    ['!error.type:KeyError -> a'],
    ['family:javascript,native -> a'],
  ])('%s does not match', (rules) => expect(first(event(), rules)?.name).toBe('app'))

  test('override what the client sent; variables; title; the rule is told', () => {
    const sent = event(undefined, { fingerprint: ['client'] })
    const weightsMade = grouped(
      sent,
      'type:KeyError -> pay, {{ transaction }} "{{ tags.area }} x" title="Lost {{ tags.area }}"',
    )
    expect(weightsMade.findings.grouping.variants[0]?.values).toEqual(['pay', '/pay', 'cart x'])
    expect(weightsMade.findings.title).toBe('Lost cart')
    expect(weightsMade.findings.grouping.rule).toContain('type:KeyError -> pay')
  })
  test('with the default: each variant has its own hash', () => {
    const rules = 'type:KeyError -> {{ default }}, {{tags.area}}'
    const [entry, two] = [{ area: 'cart' }, { area: 'home' }].map((tags) => first(event(undefined, { tags }), rules))
    expect([entry?.name, entry?.values.at(-1)]).toEqual(['hybrid', 'cart'])
    expect(entry?.hash).not.toBe(two?.hash)
  })
  test.each<[string, string, string[]]>([
    ['message:[!a-m]*key -> a', 'a', []],
    ['type:KeyError -> x # note', 'x', []],
    ['type:KeyError -> x, y #note title="no"', 'x', ['y']],
    ['type:KeyError -> x "#y"', 'x', ['#y']],
    ['type:KeyError -> x#y', 'x#y', []],
  ])('%s', (rule, entry, others) => expect(first(event(), rule)?.values).toEqual([entry, ...others]))
  test('a message of the client’s own as fingerprint: what varies in it is left out', () => {
    const of = (id: number) => first(event(undefined, { fingerprint: [`no key ${id}`] }, { value: `no key ${id}` }), '')
    expect(of(1)?.values).toEqual(['no key <int>'])
    expect(of(1)?.hash).toBe(of(2)?.hash)
  })

  test.each([
    ['-> a', 'Line 1, column 1: expected a matcher'],
    ['type:a', 'Line 1, column 7: expected -> and a fingerprint.'],
    ['type:a ->', 'Line 1, column 10: expected a fingerprint.'],
    ['# first\ntyp:a -> b', 'Line 2, column 1: there is no matcher “typ”; expected error.type'],
    ['type:"a -> b', 'Line 1, column 6: the quotation mark is not closed.'],
    ['type: a -> b', 'Line 1, column 6: expected a pattern.'],
    ['type:a -> b title=', 'Line 1, column 19: expected a title in quotes.'],
    [`type:${'x'.repeat(257)} -> b`, 'Line 1, column 6: a pattern has at most 256 characters.'],
    ['x'.repeat(40_000), 'Line 1, column 1: at most 32768 characters.'],
    ['type:a -> b\n'.repeat(rulesMax + 1), `Line ${rulesMax + 1}, column 1: at most ${rulesMax} rules.`],
  ])('%.40s is refused with its place', (text, expected) => {
    const [error] = readFingerprintRules(text).errors
    expect(error && ruleSentence(error)).toContain(expected)
  })
})

describe('stack-trace rules', () => {
  const lib = py('lib', { in_app: false })
  const named = (sent: unknown, stack: string) => first(sent, '', stack)?.values.filter((entry) => /^app\./.test(entry))
  const three = [py('a'), py('b'), py('c')]
  test.each<[string, object[], string[] | undefined]>([
    ['function:b -app', three, ['app.a', 'app.c']],
    ['function:b -group', three, ['app.a', 'app.c']],
    ['function:b ^-group', three, ['app.a', 'app.b']],
    ['function:b v-group', three, ['app.b', 'app.c']],
    ['function:b ^-app -app', three, ['app.a']],
    ['function:lib +app', [py('a'), lib], ['app.a', 'app.lib']],
    ['family:other max-frames=1', three, ['app.c']],
    ['family:other max-frames=1 invert-stacktrace=1', three, ['app.a']],
    ['family:other min-frames=4', three, []],
    ['family:native -group', three, ['app.a', 'app.b', 'app.c']],
    ['[ function:a ] | function:b -group', three, ['app.a', 'app.c']],
    ['[function:[ax]] | function:b -group', three, ['app.a', 'app.c']],
    ['[ function:a] | function:b -group', three, ['app.a', 'app.c']],
    ['path:/srv/app/[ab].py -group', three, ['app.c']],
    ['function:[a-b] -group', three, ['app.c']],
    ['[ function:c ] | function:b -group', three, ['app.a', 'app.b', 'app.c']],
    ['function:b | [ function:c ] -group', three, ['app.a', 'app.c']],
    ['function:a category=ui\ncategory:ui -group', three, ['app.b', 'app.c']],
    ['error.type:KeyError function:a -group', three, ['app.b', 'app.c']],
    ['error.mechanism:other -group', three, ['app.a', 'app.b', 'app.c']],
    ['!function:b -group', three, ['app.b']],
    ['path:**/app/*.py -group\nfunction:c +group  # the last word', three, ['app.c']],
    ['app:no -group', [py('a'), lib], ['app.a']],
  ])('%s', (rules, frames, expected) => expect(named(event(frames), rules)).toEqual(expected))

  test('what in_app was is kept, so that other rules begin from there', () => {
    const stored = grouped(event(three), '', 'function:b -app')
    const frames = stored.exception?.values[0]?.stacktrace?.frames
    expect(frames?.map((frame) => [frame.in_app, frame.in_app_before])).toEqual([
      [true, undefined],
      [false, true],
      [true, undefined],
    ])
    const { explain } = createGroupingPreview()
    const plain = refineEvent(event(three)).row.hashes[0]
    expect(explain(stored, {}).hashes[0]).toBe(plain)
    expect(explain(stored, { stackRules: 'function:b -app' }).hashes[0]).toBe(
      stored.findings.grouping.variants[0]?.hash,
    )
    // Explaining does not change the event.
    expect(stored.exception?.values[0]?.stacktrace?.frames[1]?.in_app).toBe(false)
  })
  test('the tree names the rule that took a frame out', () => {
    const stored = refineEvent(event(three)).event
    const tree = JSON.stringify(
      createGroupingPreview().explain(stored, { stackRules: 'function:b -group' }).variants[0],
    )
    expect(tree).toContain('"hint":"rule-out"')
    expect(tree).toContain('"rule":"function:b -group"')
  })
  test.each([
    ['function:a', 'column 11: expected an action'],
    ['+app', 'column 1: expected a matcher'],
    ['function:a +ap', 'column 12: expected an action'],
    ['[ function:a function:b -app', 'expected a matcher'],
    ['[ function:a ] function:b -app', 'expected |'],
    ['app:perhaps +app', 'expected app:yes or app:no'],
    ['family:native max-frames=999', 'expected a number from 0 to 250'],
    ['function:a category="a b"', 'a category is a word'],
  ])('%s is refused with its place', (text, expected) => {
    const [error] = readStackRules(text).errors
    expect(error && ruleSentence(error)).toContain(expected)
  })
})

describe('names of native functions', () => {
  test.each([
    ['foo::bar(int, char const*) const', 'foo::bar'],
    ['void foo::bar<int, std::vector<char>>::baz(int)', 'foo::bar<T>::baz'],
    ['std::panicking::try::h72cb0fef6e9c0ab1', 'std::panicking::try'],
    ['<a::B<C> as d::E>::f::h72cb0fef6e9c0ab1', 'a::B<T>::f'],
    ['<F as alloc::boxed::FnBox<A>>::call_box', 'alloc::boxed::FnBox<T>::call_box'],
    ['memcpy@@GLIBC_2.14', 'memcpy'],
    ['f.isra.0.part.3', 'f'],
    ['-[NSRunLoop(NSRunLoop) runMode:beforeDate:]', '-[NSRunLoop(NSRunLoop) runMode:beforeDate:]'],
    ["`anonymous namespace'::start()", 'anonymous namespace::start'],
    ['(anonymous namespace)::start()', 'anonymous namespace::start'],
    ['x::{lambda(int)#1}::operator()(int) const', 'x::lambda::operator()'],
    ['operator<<(std::ostream&, int)', 'operator<<'],
    ['<redacted>', '<redacted>'],
    ['', ''],
  ])('%s is %s', (sent, expected) => expect(trimNative(sent)).toBe(expected))
  test('what was sent stays beside it', () => {
    const frames = [{ function: 'void f(int)', in_app: true, instruction_addr: '0x1' }]
    const { event: stored } = refineEvent({ platform: 'native', exception: { type: 'E', stacktrace: { frames } } })
    expect(stored.exception?.values[0]?.stacktrace?.frames[0]).toMatchObject({
      function: 'f',
      raw_function: 'void f(int)',
    })
  })
})
