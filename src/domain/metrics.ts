/** Distinct series (name and attributes) that a project stores in an hour. Attributes of further ones are folded. */
export const metricSeries = { default: 10_000, min: 100, max: 200_000 } as const

/** Bytes of one metric as JSON. SDKs limit it too. */
export const metricBytesMax = 2048

/** How attributes of a point were folded: none, those about people, or all. */
export const folds = { none: 0, people: 1, all: 2 } as const
