const zonePattern = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/

/** Whether Intl knows the time zone of this IANA name ("Europe/Berlin"). */
export function isZone(name: string): boolean {
  if (!zonePattern.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/**
 * The zone that screens show times in: UTC if the person chose it (cookie `times`), else the browser's zone (cookie
 * `zone`), else UTC. Both are undefined if the cookie is missing.
 */
export function zoneOf(times: string | undefined, zone: string | undefined): string {
  return times !== 'utc' && zone !== undefined && isZone(zone) ? zone : 'UTC'
}

/** The short name of a zone on screens: "Europe/Berlin" is "Berlin", "America/New_York" is "New York". */
export const zoneName = (zone: string): string => zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ')
