/** The bars of a distribution: value, number of events, and share of all events in per cent (0-100). */
export function sharesOf(
  values: readonly { value: string; count: number }[],
  total: number,
): { value: string; count: number; percent: number }[] {
  const all = Math.max(
    total,
    values.reduce((sum, value) => sum + value.count, 0),
  )
  return values.map((value) => ({ ...value, percent: all > 0 ? Math.round((value.count / all) * 100) : 0 }))
}
