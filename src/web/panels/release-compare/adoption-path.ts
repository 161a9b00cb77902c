/** Width of the chart in its own units; its height is 100: a share in percent. */
export const adoptionWidth = 100

/** The line of shares (0 to 1) as an SVG path. It passes over missing shares: small releases have hours without a share. */
export function adoptionPath(shares: readonly (number | null)[]): string {
  const step = adoptionWidth / Math.max(1, shares.length - 1)
  const round = (value: number) => Math.round(value * 100) / 100
  const points = shares.flatMap((share, at) =>
    share === null ? [] : [`${round(at * step)} ${round((1 - share) * 100)}`],
  )
  return points.length > 0 ? `M${points.join('L')}` : ''
}

/** Where the name of a line stands: its highest share, the latest of equal ones. Undefined for a line of zeros. */
export function adoptionPeak(shares: readonly (number | null)[]): { at: number; share: number } | undefined {
  let peak: { at: number; share: number } | undefined
  for (const [at, share] of shares.entries()) if (share && share >= (peak?.share ?? 0)) peak = { at, share }
  return peak
}
