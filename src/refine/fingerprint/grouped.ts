import type { GroupingVariant } from '../../domain/event.ts'
import type { GroupingHint, GroupingNode } from '../../domain/grouping.ts'

/** A variant with its tree and, if it contributes, its hash. */
export type Variant = {
  name: GroupingVariant['name']
  contributes: boolean
  why: string
  hint?: GroupingHint
  component: GroupingNode
  values: string[]
  hash?: string
}

/** The grouping of an event: all variants, the matching rule and the title from that rule. */
export type Grouped = { variants: Variant[]; rule?: string; title?: string }
