import { extensionMessages } from '../filter/rules.ts'
import { sentences } from './hydration.ts'
import { invariantTexts, steering } from './invariants.ts'
import { component } from './logged.ts'
import { noiseWords } from './noise.ts'
import { heads } from './react.ts'
import { skewHints, skewTexts, skewTypes } from './skew.ts'
import type { Said } from './texts.ts'

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/**
 * All texts that any diagnostic needs, as one pattern. Most events match none: one search for all texts costs 1 µs,
 * separate searches cost 4 µs.
 */
const any = new RegExp(
  [
    ...heads.map(escaped),
    ...invariantTexts.map(([text]) => escaped(text)),
    ...[
      steering,
      component,
      sentences,
      extensionMessages,
      ...skewTexts.map(([pattern]) => pattern),
      ...skewHints,
      ...noiseWords,
    ].map((pattern) => pattern.source),
  ].join('|'),
)

/** Whether a text has any words of a diagnostic. */
export const mayTell = ({ type, text }: Said): boolean => skewTypes.has(type) || any.test(text)
