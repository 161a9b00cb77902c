import { MishapError } from '../base/errors.ts'
import { keptToken, tokenForm } from '../domain/scrape.ts'
import type { Seal } from './seal.ts'

/**
 * What a project's token for fetching scripts becomes in the store: sealed, '' for none, nothing where it is kept as it is.
 * Throws VALIDATION with the field's name.
 */
export function sealedToken(
  seal: Pick<Seal, 'seal'>,
  token: string | undefined,
  field: string,
): { sealedScrapeToken?: string } {
  if (token === undefined || token === keptToken) return {}
  if (!tokenForm.test(token)) {
    const sentence = 'Use at most 200 printable characters without spaces.'
    throw new MishapError('VALIDATION', { detail: sentence, fields: { [field]: [sentence] } })
  }
  return { sealedScrapeToken: token === '' ? '' : seal.seal(token) }
}
