import type { NormalEvent } from '../../../domain/event.ts'
import type { Grouped } from '../grouped.ts'
import type { CompiledFingerprintRules } from '../rules.ts'
import type { AnnotationsByStack } from '../stack-rules.ts'
import { defaultVariants, messageVariant, type UnhashedVariant } from '../v1/variants.ts'
import { groupV2 } from '../v2/group.ts'

/** SDKs write this about an object that was reported. It names no message, so the place of the report says more. */
const describedObject = /captured as (?:exception|promise rejection)/

/** The SDKs' part for consoles. Some of its versions mark what it reports as unhandled, although nothing was thrown. */
const consoleMechanism = /(?:^|\.)(?:capture_)?console$/

/**
 * The message of an event that a JavaScript SDK wrapped in an exception to attach a stack (`attachStacktrace`), else
 * undefined. The SDK marks the exception as synthetic, and its frames are those of the code that called the SDK. A synthetic
 * exception that is unhandled was thrown: its frames lead to the fault and keep counting.
 */
function reportedMessage(event: NormalEvent): UnhashedVariant | undefined {
  if (event.platform !== 'javascript' && event.platform !== 'node') return undefined
  const values = event.exception?.values ?? []
  const [exception] = values
  if (!exception || values.length > 1 || !exception.mechanism?.synthetic) return undefined
  if (!exception.value || !exception.stacktrace || describedObject.test(exception.value)) return undefined
  if (exception.mechanism.handled === false && !consoleMechanism.test(exception.mechanism.type)) return undefined
  const message = messageVariant(event)
  const reported = message.contributes ? message : messageVariant({ logentry: { formatted: exception.value } })
  return reported.contributes ? reported : undefined
}

const excluded = (variant: UnhashedVariant): UnhashedVariant => ({
  ...variant,
  contributes: false,
  why: 'the stack only shows who reported the message',
  hint: 'message-first',
})

function variantsOf(event: NormalEvent, annotations: AnnotationsByStack): UnhashedVariant[] {
  const variants = defaultVariants(event, annotations)
  const message = reportedMessage(event)
  if (!message) return variants
  return [message, ...variants.filter((variant) => variant.name !== 'default').map(excluded)]
}

/** Version 3: version 2, but messages that came with the stack of their caller are grouped by their text. */
export const groupV3 = (
  event: NormalEvent,
  rules: CompiledFingerprintRules,
  annotations: AnnotationsByStack,
): Grouped => groupV2(event, rules, annotations, variantsOf)
