import { signs } from '../diagnostics/diagnostics.ts'
import { fingerprint, stackRules } from '../fingerprint/fingerprint.ts'
import { trimFunctions } from '../fingerprint/trim.ts'
import { describe } from '../kinds/error/describe.ts'
import { digest } from '../kinds/error/digest.ts'
import { inApp } from '../kinds/error/inapp.ts'
import { normalize } from '../kinds/error/normalize.ts'
import { userAddress } from '../kinds/error/user.ts'
import { userAgent } from '../kinds/error/user-agent.ts'
import { scrub } from '../scrub/scrub.ts'
import { symbolicate } from '../symbolicate/symbolicate.ts'
import type { Context } from './context.ts'
import type { Draft } from './draft.ts'

/** One step; it changes the draft that it is given. */
type Step = { name: string; run: (draft: Draft, context: Context) => void }

/** Steps before the project's filters, which look at what was sent: mapping what is dropped would cost the most. */
export const firstSteps: readonly Step[] = [
  { name: 'normalize', run: normalize }, // loose shapes to one shape, each value within its limit
  { name: 'userAddress', run: userAddress },
  { name: 'userAgent', run: userAgent },
]

/** Steps of an event that is dropped and kept to look at. */
export const droppedSteps: readonly Step[] = [
  { name: 'scrub', run: scrub },
  { name: 'describe', run: describe },
]

/** Every step of an event item, in order. The list is the whole way of an event between its parsed JSON and its row. */
export const eventSteps: readonly Step[] = [
  ...firstSteps,
  { name: 'scrub', run: scrub }, // both forms, before anything is derived from them
  { name: 'symbolicate', run: symbolicate }, // original places, before anything is decided or derived by them
  { name: 'trimFunctions', run: trimFunctions },
  { name: 'inApp', run: inApp },
  { name: 'stackRules', run: stackRules }, // before anything is derived from in_app
  { name: 'describe', run: describe }, // title, culprit, metadata
  { name: 'digest', run: digest },
  { name: 'signs', run: signs }, // what it is, from mapped frames and scrubbed texts
  { name: 'fingerprint', run: fingerprint },
]
