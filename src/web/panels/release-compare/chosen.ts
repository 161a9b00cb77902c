import { ofSamePackage } from '../../../domain/release-order.ts'

/** The versions to compare: missing ones are the newest release, and the nearest earlier one of the same package. */
export function chosenVersions(versions: readonly string[], asked: { a: string; b: string }): { a: string; b: string } {
  const b = asked.b || versions.find((version) => version !== asked.a) || ''
  const earlier = versions.slice(versions.indexOf(b) + 1)
  const a = asked.a || earlier.find((version) => ofSamePackage(version, b)) || ''
  return { a, b }
}
