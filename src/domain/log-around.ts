/** What the lines around a log line have in common with it. */
export const aroundBy = ['trace', 'service', 'host'] as const
export type AroundBy = (typeof aroundBy)[number]
