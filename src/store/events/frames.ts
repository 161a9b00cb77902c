/** What a search may ask of a frame by its text, as the names of its fields. */
export const frameKeys = ['function', 'filename', 'abs_path', 'module', 'package'] as const
/**
 * One of these, or 'true' or 'false': whether a frame is the application’s own, and of the event whether it crashed on the main
 * thread and whether all own frames that a source map could be for are mapped.
 */
export type FrameKey = (typeof frameKeys)[number] | 'in_app' | 'main_thread' | 'symbolicated_in_app'

/** Frames of an event that can be found, those nearest the crash first. */
export const framesMax = 100
/** Characters of a value that can be found; a longer one stands there with its beginning. */
const frameCharsMax = 300

/** The part of a value that can be found. */
export const frameValue = (value: string): string =>
  value.length > frameCharsMax ? value.slice(0, frameCharsMax).toWellFormed() : value

/** A value of a frame as the column `frames` holds it. No key has an equals sign, so a text is of one key and value only. */
export const frameText = (key: FrameKey, value: string): string => `${key}=${frameValue(value)}`
