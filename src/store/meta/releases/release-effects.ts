/** A release in use: `firstMs` to `lastMs` are when what names it happened. '' for no release or environment. */
export type ReleaseUse = { projectId: number; release: string; environment: string; firstMs: number; lastMs: number }

/** Releases and environments that something other than an event names, as a batch commits them. */
export type ReleaseEffects = { releases?: ReleaseUse[] }
