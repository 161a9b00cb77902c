/** A turn of a rota on the screen. The key stays when the turn moves. `userId` is '' if the person has left. */
export type Slot = { key: number; userId: string }

/** Most turns of a schedule. */
export const slotsMax = 50

/** Makes turns of the user ids of a rota, in their order. */
export const slotsOf = (userIds: readonly string[]): Slot[] => userIds.map((userId, key) => ({ key, userId }))

/** Returns the turns with one of a person at the end. A rota has at most 50; then nothing changes. */
export function withPerson(slots: readonly Slot[], userId: string): readonly Slot[] {
  if (slots.length >= slotsMax || userId === '') return slots
  return [...slots, { key: Math.max(-1, ...slots.map(({ key }) => key)) + 1, userId }]
}

/** Returns the turns without one. */
export const withoutSlot = (slots: readonly Slot[], key: number): Slot[] => slots.filter((slot) => slot.key !== key)

/** Returns the turns with one moved by a number of places. At the ends it stays. */
export function movedSlot(slots: readonly Slot[], key: number, by: number): readonly Slot[] {
  const from = slots.findIndex((slot) => slot.key === key)
  const to = from + by
  const slot = slots[from]
  if (!slot || to < 0 || to >= slots.length) return slots
  return withoutSlot(slots, key).toSpliced(to, 0, slot)
}
