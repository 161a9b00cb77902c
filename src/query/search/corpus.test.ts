import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MishapError } from '../../base/errors.ts'
import { searchKeyOf } from './lookup.ts'
import { parseSearch } from './parse.ts'
import { short } from './tree.cases.ts'
import { unescaped } from './value.ts'

// Compares our trees of search texts with those of Sentry's parser. Intended differences:
const differences = {
  words: 'words beside each other are looked for one by one, not as one text with the spaces between',
  empty: 'empty quotes ask for nothing and are left out',
  names: 'spellings of a field are folded to one name (first_seen is firstSeen)',
  moment: 'a date without a sign is the stretch it stands for: a day, or the five minutes before and after a moment',
}

type Node = {
  type: string
  value: unknown
  quoted?: boolean
  filter?: string
  negated?: boolean
  key: Node
  name?: Node
  args?: { args: { value: { value: string } }[] } | null
  operator?: string
  sign?: string
  unit?: string | null
  rawValue?: number
  items?: { value: Node }[]
  invalid?: unknown
}
type Case = { query: string; raisesError?: boolean; result?: Node[] }

const corpus = `${import.meta.dirname}/../../../../shared/corpora/sentry-2022-apache/tests/fixtures/search-syntax`
const cases = (): Case[] =>
  readdirSync(corpus)
    .filter((file) => file.endsWith('.json'))
    .flatMap((name) => JSON.parse(readFileSync(join(corpus, name), 'utf8')) as Case[])

const hours = { m: 1 / 60, h: 1, d: 24, w: 168 } as Record<string, number>
const durations = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as Record<string, number>
const text = (node: Node) => unescaped(String(node.value))

/** The key of a filter in our spelling (see `names`). */
function keyOf(node: Node): string {
  if (node.type === 'keyAggregate') {
    const name = `${node.name?.value}(${(node.args?.args ?? []).map((item) => item.value.value).join(',')})`
    return searchKeyOf(name)?.name ?? `${name}()`
  }
  if (node.type === 'keyExplicitTag') return `tag ${node.key.value}`
  return searchKeyOf(String(node.value))?.name ?? `tag ${node.value}`
}

function dateTree(key: string, sign: string, node: Node): string {
  const iso = String(node.value)
  if (sign !== '') return `${key}${sign}${iso}`
  const at = Date.parse(iso)
  // No case of the corpus has the time midnight.
  const [from, until] = iso.endsWith('T00:00:00.000Z') ? [at, at + 86_400_000] : [at - 300_000, at + 300_000]
  return `(${key}>=${new Date(from).toISOString()} & ${key}<${new Date(until).toISOString()})`
}

function filterTree(node: Node): string {
  const [key, sign, value] = [keyOf(node.key), node.operator ?? '', node.value as Node]
  switch (node.filter) {
    case 'text':
      return `${key}=${text(value)}`
    case 'textIn':
      return `${key}=${(value.items ?? []).map((item) => text(item.value)).join('/')}`
    case 'has':
      return `has ${keyOf({ ...value, type: 'keySimple' })}`
    case 'boolean':
      return `${key} is ${value.value}`
    case 'numeric':
    case 'aggregateNumeric': {
      const field = searchKeyOf(String(node.key.value))
      const unit = field && !field.measured ? (field.type === 'duration' ? ' duration' : '') : ' number'
      return `${key}${sign || '='}${value.rawValue}${unit}`
    }
    case 'duration':
    case 'aggregateDuration':
      return `${key}${sign || '='}${Number(value.value) * (durations[String(value.unit)] ?? 0)} duration`
    case 'relativeDate':
    case 'aggregateRelativeDate':
      return `${key}${value.sign === '-' ? '>=' : '<='}now-${Number(value.value) * (hours[String(value.unit)] ?? 0)}h`
    case 'date':
    case 'specificDate':
      return dateTree(key, sign, value)
    default:
      throw new Error(`no tree for ${node.filter}`)
  }
}

/** The expected tree, with the differences above. */
function expected(nodes: Node[]): string {
  const parts = nodes.flatMap((node) => {
    if (node.type === 'spaces') return []
    if (node.type === 'freeText') {
      if (node.quoted) return node.value === '' ? [] : [`"${text(node)}"`]
      // A text that turns out not to be a filter keeps the spaces in its parentheses.
      const whole = String(node.value).trim()
      return /^\w+\(.*\):/.test(whole) ? [whole] : whole.split(/\s+/)
    }
    return [`${node.negated ? '!' : ''}${filterTree(node)}`]
  })
  return parts.length > 1 ? `(${parts.join(' & ')})` : (parts[0] ?? '-')
}

function ours(query: string): string {
  try {
    return short(parseSearch(query))
  } catch (error) {
    if (error instanceof MishapError && /position \d+, expected/.test(error.message)) return 'refused'
    throw error
  }
}

test.skipIf(!existsSync(corpus))('search texts of the corpus give the same tree, or are refused alike', () => {
  const all = cases()
  expect(all.length).toBeGreaterThan(50)
  expect(Object.keys(differences)).toEqual(['words', 'empty', 'names', 'moment'])
  for (const item of all) {
    const invalid = item.raisesError || (item.result ?? []).some((node) => node.invalid)
    expect([item.query, ours(item.query)]).toEqual([item.query, invalid ? 'refused' : expected(item.result ?? [])])
  }
})
