import type { GroupingVariant } from '../../domain/event.ts'
import type { GroupingHint, GroupingNode } from '../../domain/grouping.ts'

/** A variant with its tree and, where it counts, its hash. */
export type Variant = {
  name: GroupingVariant['name']
  contributes: boolean
  why: string
  hint?: GroupingHint
  component: GroupingNode
  values: string[]
  hash?: string
}

/** How an event is grouped: every variant, the rule that matched and the title that it gives. */
export type Grouped = { variants: Variant[]; rule?: string; title?: string }
