import type { Arithmetic } from '../../store/events/question.ts'

const depthMax = 20

type Reader = { tokens: readonly { text: string; at: number }[]; next: number; depth: number; nameOf: Names }
/** The place of a series by its name. */
type Names = (name: string) => number | undefined

/** Why an expression cannot be read, and where: a position in characters from 1. */
type FormulaFault = { position: number; expected: string }

class FaultError extends Error {
  readonly fault: FormulaFault
  constructor(position: number, expected: string) {
    super(expected)
    this.fault = { position, expected }
  }
}

const token = /\s*(?:(\d+(?:\.\d+)?|\.\d+)|([A-Za-z_]\w*)|([-+*/()]))/y

function tokensOf(text: string): Reader['tokens'] {
  const tokens: { text: string; at: number }[] = []
  const end = text.trimEnd().length
  token.lastIndex = 0
  while (token.lastIndex < end) {
    const from = token.lastIndex
    const found = token.exec(text)
    const at = from + (/^\s*/.exec(text.slice(from))?.[0].length ?? 0)
    if (!found) throw new FaultError(at + 1, 'a name of a series, a number, + - * / or a parenthesis')
    tokens.push({ text: found[1] ?? found[2] ?? found[3] ?? '', at })
  }
  return tokens
}

const positionOf = (reader: Reader) =>
  (reader.tokens[reader.next]?.at ?? (reader.tokens.at(-1)?.at ?? 0) + (reader.tokens.at(-1)?.text.length ?? 0)) + 1

function operand(reader: Reader): Arithmetic {
  const found = reader.tokens[reader.next]
  const position = positionOf(reader)
  if (++reader.depth > depthMax) throw new FaultError(position, `at most ${depthMax} nested parts`)
  reader.next++
  try {
    if (found?.text === '(') {
      const inner = sum(reader)
      if (reader.tokens[reader.next]?.text !== ')') throw new FaultError(positionOf(reader), ')')
      reader.next++
      return inner
    }
    if (found?.text === '-') return { op: '-', of: [{ op: 'number', value: 0 }, operand(reader)] }
    if (found && /^[.\d]/.test(found.text)) return { op: 'number', value: Number(found.text) }
    const at = found && /^[A-Za-z_]/.test(found.text) ? reader.nameOf(found.text) : undefined
    if (at === undefined) throw new FaultError(position, 'the name of a series, a number or a parenthesis')
    return { op: 'aggregate', at }
  } finally {
    reader.depth--
  }
}

/** Reads operands with operators between them, from left to right. */
function chain(reader: Reader, operators: readonly ('+' | '-' | '*' | '/')[], part: (reader: Reader) => Arithmetic) {
  let left = part(reader)
  for (;;) {
    const op = operators.find((operator) => operator === reader.tokens[reader.next]?.text)
    if (!op) return left
    reader.next++
    left = { op, of: [left, part(reader)] }
  }
}

const product = (reader: Reader): Arithmetic => chain(reader, ['*', '/'], operand)
const sum = (reader: Reader): Arithmetic => chain(reader, ['+', '-'], product)

/**
 * Reads arithmetic over series: `+ - * /`, numbers and parentheses. `nameOf` gives the place of a series. Returns the
 * fault of a wrong text.
 */
export function formulaOf(text: string, nameOf: Names): { of: Arithmetic } | FormulaFault {
  try {
    const reader: Reader = { tokens: tokensOf(text), next: 0, depth: 0, nameOf }
    const of = sum(reader)
    if (reader.next < reader.tokens.length) throw new FaultError(positionOf(reader), 'an operator, or the end')
    return { of }
  } catch (error) {
    if (error instanceof FaultError) return error.fault
    throw error
  }
}
