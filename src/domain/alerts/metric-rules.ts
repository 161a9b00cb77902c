import type { Dataset } from '../datasets.ts'

/** Limits of the windows of metric rules, in minutes. */
export const windowMinutesMax = 43_200
/** Fields by which a rule watches groups. */
export const groupFieldsMax = 3
/** Groups that a rule watches: those with most rows in the window. */
export const groupsMax = 100

/** The weekly pattern compares with earlier weeks, so a window is a small part of a week. */
export const weeklyWindowMinutesMax = 1440

/** Steps by the longest window that they are for: each window has at most 96 steps, and one of 30 days has 720. */
const steps = [
  { windowMax: 60, minutes: 1 },
  { windowMax: 360, minutes: 5 },
  { windowMax: 1440, minutes: 15 },
  { windowMax: windowMinutesMax, minutes: 60 },
] as const

/**
 * Returns how often a rule is judged, in minutes. A window of a day hardly changes in a minute, so longer windows have
 * longer steps, and a window is a whole number of them. Outcomes are counted by hours.
 */
export const stepMinutesOf = (dataset: Dataset, windowMinutes: number): number =>
  dataset === 'outcomes' ? 60 : (steps.find(({ windowMax }) => windowMinutes <= windowMax)?.minutes ?? 60)

/** How long before a window the one is that a change is measured from. */
export const beforeMs = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const
