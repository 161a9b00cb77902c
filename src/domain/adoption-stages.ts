/** How far a release is adopted, in the order of its life. */
export const adoptionStages = ['low', 'adopted', 'replaced'] as const

/** `replaced`: it was adopted before, but no longer is. */
export type AdoptionStage = (typeof adoptionStages)[number]

/** A release counts as adopted from this share of a day's sessions on. */
const adoptedShare = 0.1

/** Returns the stage of a release from its current and its highest share, 0 to 1. */
export const stageOf = (share: number, highest: number): AdoptionStage =>
  share >= adoptedShare ? 'adopted' : highest >= adoptedShare ? 'replaced' : 'low'
