import type { NormalException } from '../../domain/event.ts'
import type { Draft } from '../pipeline/draft.ts'
import { mainOf } from './v1/variants.ts'

/**
 * The exception that an event's title and culprit speak of: mostly the newest. Where all exceptions of a group group alike it
 * is one of them, and not the wrapper: version 1 compares them so.
 */
export const mainException = ({ event, marks = new Map() }: Draft): NormalException | undefined => mainOf(event, marks)
