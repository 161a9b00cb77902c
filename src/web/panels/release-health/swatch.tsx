import './release-health.css'

/** The colour of a release, 10x3 px: 0 for the release in question, 1 and 2 for those before it. Its name follows. */
export function ReleaseSwatch({ place }: { place: number }) {
  return <span aria-hidden="true" className="release-swatch" data-place={place % 3} />
}
