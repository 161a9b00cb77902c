/** A release in use between `firstMs` and `lastMs`. '' for no release or environment. */
type ReleaseUse = { projectId: number; release: string; environment: string; firstMs: number; lastMs: number }

/** Releases and environments of a batch that are not from events. */
export type ReleaseEffects = { releases?: ReleaseUse[] }
