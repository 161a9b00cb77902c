import type { Clock } from '../base/clock.ts'
import type { MetaStore } from '../store/meta/meta-store.ts'
import type { Better, Context } from './better.ts'
import type { Guard } from './guarded.ts'

/** Shared dependencies of the auth modules. */
export type AuthContext = { better: Better; context: Context; guard: Guard; meta: MetaStore; clock: Clock }
