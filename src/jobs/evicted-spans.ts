import { spansGoneName } from '../store/events/span-store.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'

/** Notes that spans left by their age or for the disk budget: the ledger counts more of them than stand from now on. */
export function noteSpansGone(meta: Pick<MetaStore, 'getValue' | 'setValue'>): void {
  if (meta.getValue(spansGoneName) === undefined) meta.setValue(spansGoneName, '1')
}
