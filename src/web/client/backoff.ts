/** Pause in ms after `tries` failed attempts. Doubles from `firstMs` up to `mostMs`. */
export function backoffMs(tries: number, firstMs = 1000, mostMs = 15_000): number {
  return Math.min(mostMs, firstMs * 2 ** Math.min(Math.max(tries, 0), 30))
}
