/** The chart colours of projects, in their order. c4, c5 and c7 are left out: they look like ok, error and counts. */
const colours = ['--c1', '--c2', '--c3', '--c6', '--c8'] as const

/**
 * The coloured bar of a project, 3x12 px. `place` is the place of the project in the organization's list, from 0. It
 * never stands alone: the name or a short id follows it.
 */
export function Rail({ place }: { place: number }) {
  const colour = colours[((place % colours.length) + colours.length) % colours.length]
  return <span aria-hidden="true" className="rail" style={{ background: `var(${colour})` }} />
}
