import type { KeySnapshot } from '../store/meta/meta.ts'
export const noKeys: KeySnapshot = { version: 0, keys: {} }
