import { messagePrefixes } from '../../domain/react-errors.ts'
import { extensionMessages } from '../filter/rules.ts'
import { sentences } from './hydration.ts'
import { invariantTexts, steering } from './invariants.ts'
import { component } from './logged.ts'
import { noisePatterns } from './noise.ts'
import { skewHints, skewTexts, skewTypes } from './skew.ts'
import type { EventText } from './texts.ts'

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/**
 * All texts that any diagnostic needs, as one pattern. Most events match none: one search for all texts costs 1 µs,
 * separate searches cost 4 µs.
 */
const any = new RegExp(
  [
    ...messagePrefixes.map(escaped),
    ...invariantTexts.map(([text]) => escaped(text)),
    ...[
      steering,
      component,
      sentences,
      extensionMessages,
      ...skewTexts.map(([pattern]) => pattern),
      ...skewHints,
      ...noisePatterns,
    ].map((pattern) => pattern.source),
  ].join('|'),
)

/** Whether a text has any words of a diagnostic. */
export const mayMatch = ({ type, text }: EventText): boolean => skewTypes.has(type) || any.test(text)
