import { MishapError } from '../base/errors.ts'
import { maskedToken, tokenForm } from '../domain/scrape.ts'
import type { Seal } from './seal.ts'

/**
 * Returns the stored form of a project's token for fetching scripts: sealed, '' for none, no field to leave it
 * unchanged. Throws VALIDATION with the field name.
 */
export function sealedToken(
  seal: Pick<Seal, 'seal'>,
  token: string | undefined,
  field: string,
): { sealedScrapeToken?: string } {
  if (token === undefined || token === maskedToken) return {}
  if (!tokenForm.test(token)) {
    const sentence = 'Use at most 200 printable characters without spaces.'
    throw new MishapError('VALIDATION', { detail: sentence, fields: { [field]: [sentence] } })
  }
  return { sealedScrapeToken: token === '' ? '' : seal.seal(token) }
}
