import type { RestIssue } from '../../../contract/issues.ts'

/**
 * Type and message of an issue: its title in words if its message is a number of React, else from its metadata. Without
 * a type: its title alone.
 */
export function headOf({ metadata, title, decodedTitle }: Pick<RestIssue, 'metadata' | 'title' | 'decodedTitle'>): {
  type: string
  value: string
} {
  if (decodedTitle) return decodedTitle
  return metadata.type ? { type: metadata.type, value: metadata.value ?? '' } : { type: title, value: '' }
}
