/** Limit of stored data: a share of its volume, bytes, or no limit. */
export type DiskBudget = { part: number } | { bytes: number } | 'off'

const bytesMin = 1024 * 1024
const bytesMax = 1e15

/** Parses a disk budget; undefined for an invalid text. */
export function budgetOf(text: string): DiskBudget | undefined {
  if (text === 'off') return text
  if (/^\d{1,3}%$/.test(text)) {
    const part = Number(text.slice(0, -1)) / 100
    return part > 0 && part <= 1 ? { part } : undefined
  }
  const bytes = /^\d{1,15}$/.test(text) ? Number(text) : 0
  return bytes >= bytesMin && bytes <= bytesMax ? { bytes } : undefined
}
