/** Maximum items (transactions and their spans) that one page with a permit sends. */
export const pageItemsMax = 45

type Traced = { spans?: unknown[] | undefined }

/**
 * What a page of Mishap may send of itself. `mayTrace`: the server gave this page a permit. `sample` is the sampling rate
 * of the next transaction, 0 or 1. `cut` shortens a transaction to what is left and counts it; null if nothing is left.
 */
export function traceBudget(mayTrace: boolean) {
  let left = mayTrace ? pageItemsMax : 0
  return {
    sample: (): 0 | 1 => (left > 0 ? 1 : 0),
    cut: <Transaction extends Traced>(transaction: Transaction): Transaction | null => {
      if (left <= 0) return null
      const spans = transaction.spans?.slice(0, left - 1)
      left -= 1 + (spans?.length ?? 0)
      return spans ? { ...transaction, spans } : transaction
    },
  }
}
