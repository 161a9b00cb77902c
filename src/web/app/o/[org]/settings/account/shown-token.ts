import type { ApiToken } from '../../../../../../store/meta/meta.ts'
import type { ShownToken } from './token-list.tsx'

/** The part of a token that its owner sees. */
export const shownToken = ({ id, name, prefix, scopes, createdMs, lastUsedMs }: ApiToken): ShownToken => ({
  id,
  name,
  prefix,
  scopes,
  createdMs,
  lastUsedMs,
})
