/** An issue with fewer events says more about chance than about a cause. */
export const commonEventsMin = 20
/** A value is in common if the events have it at least this many times as often as others. */
export const commonLiftMin = 1.5

/** Tags that tell how an event was reported. They differ between any two issues and explain neither. */
const reporting = new Set(['level', 'handled', 'mechanism', 'logger', 'sdk.name', 'sdk.version'])
/** `browser.name` repeats `browser`. */
const repeated = /^(?:browser|os|client_os|runtime)\.name$|^device\.family$/

/** Whether a tag never explains an issue. */
export const isTrivialTag = (key: string): boolean => reporting.has(key) || repeated.test(key)
