import type { NormalException } from '../../domain/event.ts'
import type { Draft } from '../pipeline/draft.ts'
import { mainOf } from './v1/variants.ts'

/**
 * The exception for an event's title and culprit, mostly the newest. If all exceptions of a group have the same
 * grouping, it is one of them and not the wrapper: version 1 compares them this way.
 */
export const mainException = ({
  event,
  stackAnnotations: annotations = new Map(),
}: Draft): NormalException | undefined => mainOf(event, annotations)
