import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { NormalEvent } from '../../domain/event.ts'
import { readFingerprintRules } from '../../domain/fingerprint-rules.ts'
import { groupingVersions } from '../../domain/grouping.ts'
import { readStackRules } from '../../domain/stack-rules.ts'
import { refineEvent } from '../pipeline/fixture.cases.ts'
import { createRuleCache, group, hashesOf } from './fingerprint.ts'
import { applyStackRules, compileStackRules, withoutStackRules } from './stack-rules.ts'

const corpora = `${import.meta.dirname}/../../../../shared/corpora`
const root = `${corpora}/sentry-2022-apache`
const grouping = `${root}/tests/sentry/grouping`
const snapshots = `${grouping}/snapshots/test_variants/test_event_hash_variant/newstyle@2019_10_29`
const there = existsSync(root)
const listed = (folder: string) =>
  there ? readdirSync(`${grouping}/${folder}`).filter((file) => file.endsWith('.json')) : []
const builtIn = there
  ? readFileSync(`${root}/src/sentry/grouping/enhancer/enhancement-configs/common@2019-03-23.txt`, 'utf8')
  : ''
const cache = createRuleCache()

type Input = Record<string, unknown>
const inputOf = (folder: string, file: string) =>
  JSON.parse(readFileSync(`${grouping}/${folder}/${file}`, 'utf8')) as Input

/** The contributing texts of each variant that has a hash. */
function expectedOf(text: string): string[][] {
  const out: string[][] = []
  for (const block of text.slice(text.indexOf('\n---\n') + 5).split(/^-{20,}$/m)) {
    if (!/hash: "\w+"/.test(block)) continue
    const values: string[] = []
    const path: { depth: number; counts: boolean }[] = []
    for (const line of block
      .split('\n')
      .filter((entry) => entry.trim())
      .slice(3)) {
      const depth = line.length - line.trimStart().length
      while ((path.at(-1)?.depth ?? -1) >= depth) path.pop()
      const trimmed = line.trim()
      if (!trimmed.startsWith('"')) path.push({ depth, counts: depth <= 4 || /^[\w-]+\*/.test(trimmed) })
      else if (path.every((entry) => entry.counts)) values.push(JSON.parse(trimmed) as string)
    }
    out.push(values)
  }
  return out
}

/** Groups an input by the corpus' rules and its own, applied as the project's rules. */
function grouped(input: Input, version: number): string[][] {
  const own = (input['_grouping'] as { enhancements?: string } | undefined)?.enhancements ?? ''
  const { event } = refineEvent(input)
  withoutStackRules(event)
  const annotations = applyStackRules(compileStackRules(`${builtIn}\n${own}`), event)
  return group(event, { version }, cache, annotations).variants.flatMap((variant) =>
    variant.contributes ? [variant.values] : [],
  )
}

/** Intended differences from the trees of 2019 (reasons: docs/grouping.md). Both are changed before the comparison. */
const onPurpose: readonly (readonly [string, (values: string[]) => string[]])[] = [
  [
    'anonymous name spaces and lambdas of all compilers are written alike',
    (values) =>
      values.map((entry) =>
        entry
          .replace(/`anonymous[ -]namespace'|\(anonymous namespace\)|anonymous namespace/g, 'anonymous')
          .replaceAll('<lambda>', 'lambda')
          .replaceAll('lambda', 'λ'),
      ),
  ],
  ['markers of cloned functions are cut', (values) => values.filter((entry) => !entry.endsWith('.cold.1'))],
  ['hosts are compared in lower case', (values) => values.map((entry) => (entry === 'YYY' ? 'yyy' : entry))],
  ['an NSError counts by domain and code', (values) => values.filter((entry) => !/^\d$/.test(entry))],
  [
    'a bracket that closes around a URL is no part of it',
    (values) => values.map((entry) => entry.replace('<url>)', '<url>')),
  ],
]
/** A chunk that failed to load. Version 2 groups these into one issue per release. */
const skewed: ReadonlySet<string> = new Set(['javascript-exception-fallback-to-message.json'])
describe.skipIf(!there).each(groupingVersions)(
  'version %i: contributing values are those of the expected trees',
  (version) => {
    for (const file of listed('grouping_inputs')) {
      const snapshot = `${snapshots}/${file.replace('.json', '').replaceAll('-', '_')}.pysnap`
      if (!existsSync(snapshot)) continue
      test(file, () => {
        const form = (all: string[][]) => {
          const changed = all.map((values) => onPurpose.reduce((entry, [, change]) => change(entry), values).toSorted())
          // Variants with the same values count once, whatever their names.
          return [...new Map(changed.map((entry) => [JSON.stringify(entry), entry])).values()].toSorted()
        }
        // Ours can have one more: in 2019, events whose frames are all in-app had no app variant.
        const mine = form(grouped(inputOf('grouping_inputs', file), version))
        if (version > 1 && skewed.has(file))
          return expect(mine).toEqual([['skew', inputOf('grouping_inputs', file)['release']].toSorted()])
        for (const entry of form(expectedOf(readFileSync(snapshot, 'utf8')))) expect(mine).toContainEqual(entry)
      })
    }
  },
)

const by = (version: number, fingerprintRules = '') => ({ grouping: { fingerprintRules, stackRules: '', version } })

describe.skipIf(!there).each(groupingVersions)('version %i: sets of the corpora', (version) => {
  const hashesOfInput = (folder: string, file: string) =>
    hashesOf(refineEvent(inputOf(folder, file), {}, by(version)).event)
  test.each([
    [['javascript-xbrowser-chrome.json', 'javascript-xbrowser-firefox.json', 'javascript-xbrowser-safari.json']],
  ])('%j are one issue', (files) => {
    const [first, ...rest] = files.map((file) => hashesOfInput('grouping_inputs', file)[0])
    for (const entry of rest) expect(entry).toBe(first)
  })
  test('errors of different functions of JavaScript split', () => {
    const differ = hashesOfInput('grouping_inputs', 'stacktrace-does-not-group-different-js-errors.json')[0]
    expect(hashesOfInput('grouping_inputs', 'javascript-xbrowser-chrome.json')[0]).not.toBe(differ)
  })
})

describe.skipIf(!there).each(groupingVersions)('version %i: rules of the corpora', (version) => {
  test('all built-in stack-trace rules can be read', () => {
    const path = `${corpora}/ophio-apache/tests/fixtures/newstyle@2023-01-11.txt`
    for (const text of [builtIn, readFileSync(path, 'utf8')]) {
      const { rules, errors } = readStackRules(text)
      expect(errors).toEqual([])
      expect(rules.length).toBeGreaterThan(30)
    }
  })
  for (const file of listed('fingerprint_inputs')) {
    const snapshot = `${grouping}/snapshots/test_fingerprinting/test_event_hash_variant/${file.replace('.json', '').replaceAll('-', '_')}.pysnap`
    if (!existsSync(snapshot)) continue
    test(file, () => {
      const input = inputOf('fingerprint_inputs', file)
      type Rule = { matchers: [string, string][]; fingerprint: string[]; attributes?: { title?: string } }
      const rules = (input['_fingerprinting_rules'] as Rule[])
        .map(({ matchers, fingerprint, attributes }) => {
          const title = attributes?.title ? ` title=${JSON.stringify(attributes.title)}` : ''
          const words = matchers.map(([key, pattern]) => {
            const [name, not] = key.startsWith('!') ? [key.slice(1), '!'] : [key, '']
            return `${not}${name}:${JSON.stringify(pattern)}`
          })
          return `${words.join(' ')} -> ${fingerprint.map((entry) => JSON.stringify(entry)).join(', ')}${title}`
        })
        .join('\n')
      expect(readFingerprintRules(rules).errors).toEqual([])
      const { event } = refineEvent(input, {}, by(version, rules))
      const [, list = ''] =
        /type: custom-fingerprint\n {4}values:\n((?: {4}- .*\n?)+)/.exec(readFileSync(snapshot, 'utf8')) ?? []
      const expected = list
        .split('\n')
        .filter(Boolean)
        .map((line) =>
          line
            .trim()
            .slice(2)
            .replace(/^'(.*)'$/, '$1'),
        )
      const [first] = event.findings.grouping.variants
      expect(first?.name === 'custom_fingerprint' ? first.values : []).toEqual(expected)
    })
  }
})

/** A sum over the hashes of all inputs. If a hashed value changes, a new version is needed. */
function sumBy(version: number): { events: number; sum: string } {
  const all = ['grouping_inputs', 'fingerprint_inputs', 'categorization_inputs'].flatMap((folder) =>
    listed(folder).map((file): [string, NormalEvent] => [
      file,
      refineEvent(inputOf(folder, file), {}, by(version)).event,
    ]),
  )
  const text = all.map(([file, event]) => `${file} ${hashesOf(event).join(' ')}`).join('\n')
  return { events: all.length, sum: sumOf(text) }
}

describe.skipIf(!there)('released versions are frozen', () => {
  test('version 1: hashes of the corpora', () => {
    expect(sumBy(1)).toMatchInlineSnapshot(`
      {
        "events": 162,
        "sum": "c7e1d06de78d4e0c",
      }
    `)
  })
  // v2/group.test.ts checks which texts have a diagnostic, and so a fingerprint of version 2.
  test('version 2: hashes of the corpora', () => {
    expect(sumBy(2)).toMatchInlineSnapshot(`
      {
        "events": 162,
        "sum": "55380bd089a775c4",
      }
    `)
  })
  test('version 3: hashes of the corpora', () => {
    expect(sumBy(3)).toMatchInlineSnapshot(`
      {
        "events": 162,
        "sum": "55380bd089a775c4",
      }
    `)
  })
})

function sumOf(text: string): string {
  let sum = 0n
  for (const character of text) sum = (sum * 31n + BigInt(character.codePointAt(0) ?? 0)) % 0xffff_ffff_ffff_fffbn
  return sum.toString(16)
}
