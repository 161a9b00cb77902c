import type { Source } from './tree.ts'

/** One place that breaks a law. */
export type Breach = { path: string; line: number; what: string }
export type Report = (at: number, what: string) => void
export type Law = { name: string; sentence: string; find: (source: Source, report: Report) => void }

/** Tests and the case suites that several implementations share: free in what they import, wait for and how long they are. */
export const isTest = (path: string): boolean => /\.(test|cases)\.tsx?$/.test(path)
export const inSource = (path: string): boolean => path.startsWith('src/')
export const isProduct = (path: string): boolean => inSource(path) && !isTest(path)
/** A law over all sources together, for what one file alone does not show. */
export type TreeLaw = { name: string; sentence: string; findAll: (sources: readonly Source[]) => Breach[] }
