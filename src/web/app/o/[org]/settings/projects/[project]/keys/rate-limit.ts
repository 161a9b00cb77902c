/** The available windows of a rate limit, s. */
export const rateWindowsS = [60, 3600, 86_400] as const

/** Whether the text is a count of items from 1 to 1,000,000,000. */
export const isRateCount = (text: string): boolean => /^[1-9]\d{0,9}$/.test(text) && Number(text) <= 1_000_000_000

/** Whether the text is one of the windows. */
export const isRateWindow = (text: string): boolean => rateWindowsS.some((windowS) => String(windowS) === text)
