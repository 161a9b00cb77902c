/** Fields of a frame that a search can match by text. */
export const frameKeys = ['function', 'filename', 'abs_path', 'module', 'package'] as const
/**
 * One of these, or a key with 'true' or 'false': whether a frame is the application's, whether the event crashed on the
 * main thread, and whether all application frames that a source map could resolve are resolved.
 */
export type FrameKey = (typeof frameKeys)[number] | 'in_app' | 'main_thread' | 'symbolicated_in_app'

/** Maximum of searchable frames of an event. Those nearest the crash come first. */
export const framesMax = 100
/** Searchable characters of a value. Longer values are cut off. */
const frameCharsMax = 300

/** Returns the searchable part of a value. */
export const frameValue = (value: string): string =>
  value.length > frameCharsMax ? value.slice(0, frameCharsMax).toWellFormed() : value

/** Encodes a frame value for the column `frames`. No key has an equals sign, so the text is unambiguous. */
export const frameText = (key: FrameKey, value: string): string => `${key}=${frameValue(value)}`
