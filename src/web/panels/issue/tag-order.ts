/** Tags that explain most, in the order of the page. All others follow by their number of events. */
const first = ['release', 'environment', 'user', 'url', 'transaction', 'browser', 'os', 'device', 'runtime']

/** Tags that repeat another one: `browser` is "Chrome 120", `browser.name` "Chrome". */
const repeats: readonly (readonly [key: string, of: string])[] = [
  ['browser.name', 'browser'],
  ['os.name', 'os'],
  ['client_os.name', 'client_os'],
  ['client_os', 'os'],
  ['runtime.name', 'runtime'],
  ['device.family', 'device'],
]

/** Leaves out each key whose meaning another key of the list already has. */
export function withoutRepeats<Tag extends { key: string }>(tags: readonly Tag[]): Tag[] {
  const keys = new Set(tags.map((tag) => tag.key))
  const repeated = new Set(repeats.flatMap(([key, of]) => (keys.has(of) ? [key] : [])))
  return tags.filter((tag) => !repeated.has(tag.key))
}

const rankOf = (key: string) => {
  const rank = first.indexOf(key)
  return rank < 0 ? first.length : rank
}

/** Tags without repeats, the ones that explain most first. Otherwise keeps their order. */
export function orderedTags<Tag extends { key: string }>(tags: readonly Tag[]): Tag[] {
  return withoutRepeats(tags).sort((a, b) => rankOf(a.key) - rankOf(b.key))
}

/** A text of at most `max` characters: a longer one loses its middle, because both ends tell values apart. */
export function cutMiddle(text: string, max: number): string {
  const characters = [...text]
  if (characters.length <= max) return text
  const end = Math.floor((max - 1) / 2)
  return `${characters.slice(0, max - 1 - end).join('')}…${characters.slice(characters.length - end).join('')}`
}
