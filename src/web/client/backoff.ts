/** Pause before try `tries` + 1 after `tries` that failed, ms: it doubles from `firstMs` and stays at `mostMs`. */
export function backoffMs(tries: number, firstMs = 1000, mostMs = 15_000): number {
  return Math.min(mostMs, firstMs * 2 ** Math.min(Math.max(tries, 0), 30))
}
