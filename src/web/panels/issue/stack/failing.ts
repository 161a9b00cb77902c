import type { RestFrame } from '../../../../contract/events.ts'
import type { CharacterRange } from '../../../ui/code/tokens.ts'

/** The expression of a line that had no value, and that value as the language writes it. */
type FailingExpression = { range: CharacterRange; expression: string; value: string }

/** A message that names a property that was read of nothing, or the expression itself. */
type Complaint = { value: string } & ({ property: string } | { expression: string })

/** Longer messages and lines are not read: the names that matter are short. */
const textMax = 1000
const name = '[\\p{L}_$][\\p{L}\\p{N}_$]{0,80}'

const patterns: readonly [RegExp, (groups: Record<string, string>) => Complaint | undefined][] = [
  // V8
  [
    /^Cannot (?:read|set) propert(?:y|ies) of (?<value>null|undefined) \((?:reading|setting) '(?<property>[^']{1,80})'\)/,
    ({ value = '', property = '' }) => ({ value, property }),
  ],
  // Firefox
  [
    /^can't access property "(?<property>[^"]{1,80})", (?<expression>[^ ]{1,120}) is (?<value>null|undefined)/,
    ({ value = '', expression = '' }) => ({ value, expression }),
  ],
  [
    /^(?<expression>[^ ]{1,120}) is (?<value>null|undefined)$/,
    ({ value = '', expression = '' }) => ({ value, expression }),
  ],
  // Safari names the whole expression. What had no value is the part before the last property.
  [
    /^(?<value>null|undefined) is not an object \(evaluating '(?<expression>[^']{1,120})'\)/,
    ({ value = '', expression = '' }) => {
      const end = expression.lastIndexOf('.')
      return end > 0 ? { value, expression: expression.slice(0, end) } : undefined
    },
  ],
  // Python
  [
    /^'NoneType' object has no attribute '(?<property>[^']{1,80})'/,
    ({ property = '' }) => ({ value: 'None', property }),
  ],
  // Ruby
  [/^undefined method [`'](?<property>[^'`]{1,80})' for nil/, ({ property = '' }) => ({ value: 'nil', property })],
]

function complaintOf(message: string): Complaint | undefined {
  for (const [pattern, read] of patterns) {
    const groups = pattern.exec(message)?.groups
    if (groups) return read(groups)
  }
  return undefined
}

/** All places of the line where the expression, or an expression before `.property`, is. */
function placesOf(line: string, complaint: Complaint): FailingExpression[] {
  const { value } = complaint
  const places: FailingExpression[] = []
  // Each start is tried once, and a path has at most 8 names: linear in the length of the line.
  const path = new RegExp(`(?<![\\p{L}\\p{N}_$.])${name}(?:\\??\\.${name}){0,8}`, 'gu')
  for (const { 0: found, index } of line.matchAll(path)) {
    const parts = found.split('.')
    for (let end = 1; end <= parts.length; end++) {
      const expression = parts.slice(0, end).join('.').replace(/\?$/, '')
      const isIt = 'property' in complaint ? parts[end] === complaint.property : expression === complaint.expression
      if (isIt) places.push({ range: { from: index, to: index + expression.length }, expression, value })
    }
  }
  return places
}

/** The value of a path like `cart.summary` in the frame's variables. Undefined if it is unknown. */
function valueIn(vars: RestFrame['vars'], expression: string): unknown {
  let value: unknown = vars
  for (const part of expression.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = (value as Record<string, unknown>)[part]
  }
  return value
}

/** Texts that SDKs send for a variable without a value. */
const nothings: readonly unknown[] = [null, undefined, 'null', 'undefined', 'None', 'nil', '<null>', '<undefined>']

/**
 * The expression that had no value, if message and line name exactly one expression. With a column, the place at or after it is
 * taken of several. Undefined if variables contradict.
 */
export function failingExpression(
  message: string | null,
  line: string,
  { colNo, vars }: Pick<RestFrame, 'colNo' | 'vars'>,
): FailingExpression | undefined {
  if (!message || message.length > textMax || line.length > textMax) return undefined
  const complaint = complaintOf(message)
  if (!complaint) return undefined
  const places = placesOf(line, complaint)
  const near = colNo === null ? [] : places.filter(({ range }) => range.from <= colNo && colNo <= range.to + 2)
  const [only, second] = near.length === 1 ? near : places
  if (!only || (second && second.expression !== only.expression)) return undefined
  return nothings.includes(valueIn(vars, only.expression)) ? only : undefined
}
