/** Lines of context around a change. */
const contextLines = 2
/** Longer parts are shown as removed and added as a whole: comparing them line by line takes a square of their length. */
const comparedMax = 2000

type Line = { mark: ' ' | '-' | '+'; text: string }

/** The lines of two texts, marked by where they are. */
function marked(before: readonly string[], after: readonly string[]): Line[] {
  const removed = before.map((text): Line => ({ mark: '-', text }))
  const added = after.map((text): Line => ({ mark: '+', text }))
  if (before.length * after.length > comparedMax * comparedMax) return [...removed, ...added]
  // Length of the longest common part of the rests that begin at a line of each.
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1))
  const at = (row: number, column: number) => lengths[row]?.[column] ?? 0
  for (let row = before.length - 1; row >= 0; row--)
    for (let column = after.length - 1; column >= 0; column--) {
      const own = lengths[row]
      if (own)
        own[column] =
          before[row] === after[column]
            ? at(row + 1, column + 1) + 1
            : Math.max(at(row + 1, column), at(row, column + 1))
    }
  const lines: Line[] = []
  let [row, column] = [0, 0]
  while (row < before.length && column < after.length) {
    const [old, next] = [before[row] ?? '', after[column] ?? '']
    if (old === next) {
      lines.push({ mark: ' ', text: old })
      row++
      column++
    } else if (at(row + 1, column) >= at(row, column + 1)) {
      lines.push({ mark: '-', text: old })
      row++
    } else {
      lines.push({ mark: '+', text: next })
      column++
    }
  }
  return [...lines, ...removed.slice(row), ...added.slice(column)]
}

/** What differs between two texts: lines with `-`, `+` or a space before them, and two lines around each change. */
export function lineDiff(before: string, after: string): string[] {
  const split = (text: string) => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))
  const lines = marked(split(before), split(after))
  const shown = lines.map((_line, at) =>
    lines.slice(Math.max(0, at - contextLines), at + contextLines + 1).some(({ mark }) => mark !== ' '),
  )
  return lines.flatMap(({ mark, text }, at) => {
    if (shown[at]) return [`${mark} ${text}`]
    return shown[at - 1] ? ['  …'] : []
  })
}
