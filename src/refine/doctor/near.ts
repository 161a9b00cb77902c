import { commonSuffix } from '../../domain/doctor-commands.ts'
import type { PlacedFile } from '../../store/meta/artifacts/artifact-search.ts'
import { urlCandidates } from '../symbolicate/paths.ts'

/** The last segment of an address, without query; '' for a folder. */
export const nameOf = (url: string): string => {
  const path = url.replace(/[?#].*$/s, '').replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, '')
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Splits a name with a build hash: `index-BxZ81kq2.js` gives `index` and `.js`. */
function withoutHash(name: string): { stem: string; end: string } | undefined {
  const found = /^(.{1,100}?)[-._]([\w-]{6,64})((?:\.min)?\.[a-z]{2,4})$/.exec(name)
  const [, stem = '', hash = '', end = ''] = found ?? []
  return found && isHash(hash) ? { stem, end } : undefined
}

/** Words with a number or in camel case are part of a name, not a hash: `module2`, `userProfile`. */
const isWords = (text: string) => /^[A-Za-z][a-z]+(?:[A-Z][a-z]+)*\d{0,3}$/.test(text)
const isHash = (text: string) => !isWords(text) && (/\d/.test(text) || (/[a-z]/.test(text) && /[A-Z]/.test(text)))

/** The folder of an address, without host and query. */
const folderOf = (url: string): string => {
  const path = url.replace(/[?#].*$/s, '').replace(/^(?:~|[a-z][a-z\d+.-]*:\/\/[^/]*)/i, '')
  return path.slice(0, path.lastIndexOf('/') + 1)
}

/** Possible upload names of a file, also from another build. `*` matches any characters. */
export function namesLike(url: string): string[] {
  const name = nameOf(url).replaceAll('*', '')
  if (name === '' || name.length > 200) return []
  const parts = withoutHash(name)
  return parts ? [name, `${parts.stem}*${parts.end}`] : [name]
}

/**
 * A similar upload. `same`: the same address. `moved`: the same name in another folder. `rebuilt`: the same name in the
 * same folder with another hash.
 */
export type Near = PlacedFile & { how: 'same' | 'moved' | 'rebuilt' }

const rank = { same: 0, moved: 1, rebuilt: 2 } as const

/** Sorts similar files: the same address first, then by equal path segments at the end, then newest first. */
export function nearest(url: string, found: readonly PlacedFile[]): Near[] {
  const urls = new Set(urlCandidates(url))
  const name = nameOf(url)
  const parts = withoutHash(name)
  const near = found.flatMap((entry): Near[] => {
    if (urls.has(entry.file.url)) return [{ ...entry, how: 'same' }]
    const other = nameOf(entry.file.url)
    if (other === name) return [{ ...entry, how: 'moved' }]
    const otherParts = withoutHash(other)
    const rebuilt = parts && otherParts?.stem === parts.stem && otherParts.end === parts.end
    return rebuilt && folderOf(entry.file.url) === folderOf(url) ? [{ ...entry, how: 'rebuilt' }] : []
  })
  const end = new Map(near.map((entry) => [entry, commonSuffix(url, entry.file.url)]))
  return near.toSorted(
    (a, b) => rank[a.how] - rank[b.how] || (end.get(b) ?? 0) - (end.get(a) ?? 0) || b.file.bundleId - a.file.bundleId,
  )
}

/** The nearest file; undefined if another file is equally near, because then the choice is unclear. */
export function theNearest(url: string, near: readonly Near[]): Near | undefined {
  const [first] = near
  if (!first) return undefined
  const isAsNear = (entry: Near) =>
    entry.how === first.how && commonSuffix(url, entry.file.url) === commonSuffix(url, first.file.url)
  return near.some((entry) => entry.file.url !== first.file.url && isAsNear(entry)) ? undefined : first
}

/** Normalizes a release: removes differences of notation, such as the prefix `v` and case. */
const written = (release: string): string =>
  release
    .trim()
    .toLowerCase()
    .replace(/^v(?=\d)/, '')

/** Whether two release names can mean the same release: `shop@1.2.3`, `v1.2.3`, `1.2.3+5`, or a short hash. */
export function areSimilar(text: string, two: string): boolean {
  const [a, b] = [written(text), written(two)].toSorted((x, y) => x.length - y.length) as [string, string]
  if (a === b) return true
  const version = b.slice(b.lastIndexOf('@') + 1).replace(/^v(?=\d)/, '')
  if (a !== '' && (a === version || a === b.split('+')[0] || a === version.split('+')[0])) return true
  return /^[\da-f]{7,39}$/.test(a) && /^[\da-f]{40}$/.test(version) && version.startsWith(a)
}
