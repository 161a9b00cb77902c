import { sameEnd } from '../../protocol/doctor-commands.ts'
import type { PlacedFile } from '../../store/meta/artifact-search.ts'
import { urlCandidates } from '../symbolicate/paths.ts'

/** The last part of an address, without query; '' for a folder. */
export const nameOf = (url: string): string => {
  const path = url.replace(/[?#].*$/s, '').replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, '')
  return path.slice(path.lastIndexOf('/') + 1)
}

/** A name in parts where it carries the hash of a build: `index-BxZ81kq2.js` is `index`, `.js`. */
function withoutHash(name: string): { stem: string; end: string } | undefined {
  const found = /^(.{1,100}?)[-._]([\w-]{6,64})((?:\.min)?\.[a-z]{2,4})$/.exec(name)
  const [, stem = '', hash = '', end = ''] = found ?? []
  const isHash = /\d/.test(hash) || (/[a-z]/.test(hash) && /[A-Z]/.test(hash))
  return found && isHash ? { stem, end } : undefined
}

/** Names under which the file, or the same one of another build, may have been uploaded; `*` is any run of characters. */
export function namesLike(url: string): string[] {
  const name = nameOf(url).replaceAll('*', '')
  if (name === '' || name.length > 200) return []
  const parts = withoutHash(name)
  return parts ? [name, `${parts.stem}*${parts.end}`] : [name]
}

/**
 * What was uploaded and may have been meant, the nearest first. `same`: the very address; `moved`: the same name elsewhere;
 * `rebuilt`: the same name with another hash in it.
 */
export type Near = PlacedFile & { how: 'same' | 'moved' | 'rebuilt' }

const rank = { same: 0, moved: 1, rebuilt: 2 } as const

/** Sorts what was found by its name: the same address first, then how many parts of the path agree, then the newest. */
export function nearest(url: string, found: readonly PlacedFile[]): Near[] {
  const urls = new Set(urlCandidates(url))
  const name = nameOf(url)
  const parts = withoutHash(name)
  const near = found.flatMap((one): Near[] => {
    if (urls.has(one.file.url)) return [{ ...one, how: 'same' }]
    const other = nameOf(one.file.url)
    if (other === name) return [{ ...one, how: 'moved' }]
    const otherParts = withoutHash(other)
    const rebuilt = parts && otherParts?.stem === parts.stem && otherParts.end === parts.end
    return rebuilt ? [{ ...one, how: 'rebuilt' }] : []
  })
  const end = new Map(near.map((one) => [one, sameEnd(url, one.file.url)]))
  return near.toSorted(
    (a, b) => rank[a.how] - rank[b.how] || (end.get(b) ?? 0) - (end.get(a) ?? 0) || b.file.bundleId - a.file.bundleId,
  )
}
