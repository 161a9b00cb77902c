import type { Source } from './tree.ts'

/** One violation of a law. */
export type Breach = { path: string; line: number; what: string }
export type Report = (at: number, what: string) => void
export type Law = { name: string; sentence: string; find: (source: Source, report: Report) => void }

/** Tests, and case suites that several implementations share. Laws on imports, waiting and length exempt them. */
export const isTest = (path: string): boolean => /\.(test|cases)\.tsx?$/.test(path)
export const inSource = (path: string): boolean => path.startsWith('src/')
export const isProduct = (path: string): boolean => inSource(path) && !isTest(path)
/** A law that needs all sources at once. */
export type TreeLaw = { name: string; sentence: string; findAll: (sources: readonly Source[]) => Breach[] }
