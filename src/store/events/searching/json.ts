import type { Value } from '../question.ts'
import type { Values } from '../reading/filter.ts'

// Values within the JSON of a text, read when they are asked for: bodies of log lines often are JSON, or end in it.

type JsonValue = Extract<Value, { of: 'json' }>

/** Whether a path can have several values in one row. */
export const isList = (value: Value): boolean => value.of === 'json' && value.path.steps.some((step) => 'each' in step)

/**
 * The JSON within a text: from its first bracket to its last. The engine reads nothing of a text that has words
 * around its JSON.
 */
function documentOf(text: string, { path }: JsonValue): string {
  const first = path.steps[0]
  const [open, close] = first && !('key' in first) ? ['[', ']'] : ['{', '}']
  const from = `position(${text}, '${open}')`
  return `if(${from} = 0, '', substring(${text}, ${from}, greatest(0, length(${text}) + 2 - ${from} - position(reverse(${text}), '${close}'))))`
}

/** Steps up to each list that the path unfolds. The last part is what is read of every element. */
function partsOf(values: Values, { path }: JsonValue): string[] {
  const parts: string[][] = [[]]
  for (const step of path.steps) {
    if ('each' in step) parts.push([])
    else parts.at(-1)?.push('key' in step ? values.add('String', step.key) : values.add('Int64', step.at + 1))
  }
  return parts.map((part) => part.map((step) => `, ${step}`).join(''))
}

/** A text without its quotes. `null` is no value. */
const plain = (raw: string) => `if(${raw} = 'null', '', JSONExtractString(${raw}))`

/** Returns SQL of the list of values that are there, as texts. `text` is SQL of the text that has the JSON. */
export function compileElements(values: Values, value: JsonValue, text: string): string {
  const parts = partsOf(values, value)
  const last = parts.at(-1) ?? ''
  const lists = parts.slice(0, -1)
  const document = documentOf(text, value)
  if (lists.length === 0) return `arrayFilter(x -> x != '', [${plain(`JSONExtractRaw(${document}${last})`)}])`
  const elements = lists
    .slice(1)
    .reduce(
      (found, part) => `arrayFlatten(arrayMap(x -> JSONExtractArrayRaw(x${part}), ${found}))`,
      `JSONExtractArrayRaw(${document}${lists[0]})`,
    )
  const raw = last === '' ? 'x' : `JSONExtractRaw(x${last})`
  return `arrayFilter(x -> x != '', arrayMap(x -> ${plain(raw)}, ${elements}))`
}

/** Returns SQL of the only value of a path without lists, as a text; '' if there is none. */
export function compileOnly(values: Values, value: JsonValue, text: string): string {
  return plain(`JSONExtractRaw(${documentOf(text, value)}${partsOf(values, value)[0] ?? ''})`)
}

/** Condition that the text can have the value at all: reading JSON costs a hundred times more than finding a word. */
export function compileMention(values: Values, { path }: JsonValue, text: string): string {
  const keys = path.steps.flatMap((step) => ('key' in step ? [step.key] : []))
  // A key that JSON writes with escapes is not looked for.
  const key = keys.at(-1)
  return key !== undefined && /^[\w.-]+$/.test(key) ? `position(${text}, ${values.add('String', `"${key}"`)}) > 0` : '1'
}
