import { splitText, type TextParts, valueSign } from '../../../domain/log-shape.ts'

// The text of a line is stored as its shape and its values (decision 37). Most words of a text are in its shape, which all
// lines of one program point share: a column with a dictionary stores them once, and so does the index of words.

/** The columns of a text: its shape and its values, or the whole text in `body`, as older versions stored all of them. */
type StoredText = { shape: string; changing: string; body: string }

/** Shapes that are remembered, twice: while a new generation fills, the one before it is still asked. */
const shapesMax = 4096

/**
 * Makes a function that tells whether a shape was seen before, among the last thousands of different ones. A text whose
 * shape does not come back would only make the dictionary grow.
 */
export function createSeenShapes(max = shapesMax): (shape: string) => boolean {
  let [now, before] = [new Set<string>(), new Set<string>()]
  return (shape) => {
    if (now.has(shape)) return true
    if (now.size >= max) [now, before] = [new Set(), now]
    now.add(shape)
    return before.has(shape)
  }
}

/** Splits a text for its columns, if its shape is repeated. */
export function storedText(
  text: string,
  isRepeated: (shape: string) => boolean,
  parts: TextParts | undefined = splitText(text),
): StoredText {
  if (!parts || !isRepeated(parts.shape)) return { shape: '', changing: '', body: text }
  // A sign before each value: then the pieces of both columns are as many.
  const changing = parts.values.length > 0 ? valueSign + parts.values.join(valueSign) : ''
  return { shape: parts.shape, changing, body: '' }
}

const sign = "'\\x1a'"

/** SQL of the text of a line. `table`: an alias of the table, with its dot. */
export const logTextSql = (table = ''): string =>
  `if(${table}shape = '', ${table}body, arrayStringConcat(arrayMap((v, c) -> concat(v, c), splitByChar(${sign}, ${table}changing), splitByChar(${sign}, CAST(${table}shape AS String)))))`
