import { MishapError } from '../../base/errors.ts'

/** 200 characters per segment and 8 segments stay far below the limits of every file system. */
const segmentRule = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,200}$/
const segmentsMax = 8

/** Returns whether a text is a key: segments with slashes between, none of which leads out of the root. */
export function isKey(key: string): boolean {
  const segments = key.split('/')
  return segments.length <= segmentsMax && segments.every((segment) => segmentRule.test(segment))
}

/** Splits a key into segments. Throws MishapError VALIDATION if it could leave the root or exceeds the limits. */
export function checkKey(key: string): string[] {
  if (!isKey(key))
    throw new MishapError('VALIDATION', {
      detail: 'The key of a blob must be segments of [A-Za-z0-9._-] with slashes between.',
    })
  return key.split('/')
}
