import { addDiagnostics } from '../diagnostics/diagnostics.ts'
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

/** One step. It changes the given draft. */
type Step = { name: string; run: (draft: Draft, context: Context) => void }

/** Steps before the project's filters. Filters check the unscrubbed event, before mapping, the most costly step. */
export const firstSteps: readonly Step[] = [
  { name: 'normalize', run: normalize }, // loose values to one shape, within their limits
  { name: 'userAddress', run: userAddress },
  { name: 'userAgent', run: userAgent },
]

/** Steps of an event that is dropped but kept as a sample. */
export const droppedSteps: readonly Step[] = [
  { name: 'scrub', run: scrub },
  { name: 'describe', run: describe },
]

/** All steps of an event item in order, from its parsed JSON to its row. */
export const eventSteps: readonly Step[] = [
  ...firstSteps,
  { name: 'scrub', run: scrub }, // both forms, before other steps read them
  { name: 'symbolicate', run: symbolicate }, // original positions, before other steps read them
  { name: 'trimFunctions', run: trimFunctions },
  { name: 'inApp', run: inApp },
  { name: 'stackRules', run: stackRules }, // before other steps read in_app
  { name: 'describe', run: describe }, // title, culprit, metadata
  { name: 'digest', run: digest },
  { name: 'signs', run: addDiagnostics }, // diagnostics, from mapped frames and scrubbed texts
  { name: 'fingerprint', run: fingerprint },
]
