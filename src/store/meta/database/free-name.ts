import { MishapError } from '../../../base/errors.ts'

/** How a list calls its entries, how many it may have, and what to do when it is full. */
type ListWords = { one: string; many: string; max: number; end: string }

/**
 * Checks that a list has space for an entry of this name. Names differ by more than their case. `others`: the entries of
 * the list without the entry itself. Throws CONFLICT.
 */
export function demandFreeName(
  others: readonly { name: string }[],
  name: string,
  { one, many, max, end }: ListWords,
): void {
  const taken = `Another ${one} has this name.`
  if (others.some((item) => item.name.toLowerCase() === name.toLowerCase()))
    throw new MishapError('CONFLICT', { detail: taken, fields: { name: [taken] } })
  if (others.length >= max) throw new MishapError('CONFLICT', { detail: `There are already ${max} ${many}. ${end}` })
}
