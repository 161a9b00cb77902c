import { withBase } from '../base-path.ts'

/** In which zone to show times: the browser's or UTC. */
export type Times = 'local' | 'utc'

const cookieOf = (name: string): string | undefined =>
  document.cookie
    .split('; ')
    .find((cookie) => cookie.startsWith(`${name}=`))
    ?.slice(name.length + 1)

function setCookie(name: string, value: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: not every supported browser has the Cookie Store API
  document.cookie = `${name}=${value}; path=${withBase('/')}; max-age=31536000; samesite=lax`
}

/** The IANA name of the browser's zone, for example "Europe/Berlin". */
export const browserZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone

/** What the person chose; 'local' until then. */
export const chosenTimes = (): Times => (cookieOf('times') === 'utc' ? 'utc' : 'local')

/** Stores the choice in a cookie for one year. The next page or router.refresh() shows it. */
export const setTimes = (times: Times): void => setCookie('times', times)

/**
 * Stores the browser's zone in a cookie, because the server cannot know it. Returns true if the page shows times of
 * another zone than it would with this cookie, so that the caller asks for the page again.
 */
export function rememberZone(): boolean {
  const zone = browserZone()
  if (cookieOf('zone') === zone) return false
  setCookie('zone', zone)
  return chosenTimes() === 'local' && cookieOf('zone') === zone
}
