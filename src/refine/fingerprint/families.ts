const families: ReadonlyMap<string, string> = new Map([
  ['javascript', 'javascript'],
  ['node', 'javascript'],
  ['native', 'native'],
  ['c', 'native'],
  ['cocoa', 'native'],
  ['objc', 'native'],
  ['swift', 'native'],
])

/** The family of a platform in rules: javascript, native or other. */
export const familyOf = (platform: string | undefined): string => families.get(platform ?? '') ?? 'other'

/** Whether a list such as `javascript,native` or `all` contains this family. */
export function namesFamily(list: string, family: string): boolean {
  return list
    .toLowerCase()
    .split(',')
    .some((part) => part.trim() === 'all' || part.trim() === family)
}
