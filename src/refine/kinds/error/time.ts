const isoForm =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?\s?(Z|z|UTC|[+-]\d\d:?\d\d)?$/

/**
 * Parses a time of an SDK: seconds as number or text, or ISO 8601 (UTC if without a zone). Returns seconds since 1970
 * with microseconds, or undefined. Numbers of 1e11 and above are milliseconds.
 */
export function seconds(value: unknown): number | undefined {
  if (typeof value === 'number') return fromNumber(value)
  if (typeof value !== 'string' || value.length > 64) return undefined
  const text = value.trim()
  if (/^\d{1,16}(?:\.\d{1,12})?$/.test(text)) return fromNumber(Number(text))
  const found = isoForm.exec(text)
  if (!found) return undefined
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z'] = found
  const ms = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second))
  if (!Number.isFinite(ms) || Number(month) > 12 || Number(month) < 1 || Number(hour) > 24) return undefined
  return ms / 1000 - zoneSeconds(zone) + Number(`0.${fraction.padEnd(6, '0').slice(0, 6)}`)
}

function fromNumber(value: number): number | undefined {
  if (!Number.isFinite(value) || value <= 0) return undefined
  const inSeconds = value >= 1e11 ? value / 1000 : value
  return inSeconds < 1e11 ? Math.round(inSeconds * 1e6) / 1e6 : undefined
}

function zoneSeconds(zone: string): number {
  if (!/^[+-]/.test(zone)) return 0
  const size = Number(zone.slice(1, 3)) * 3600 + Number(zone.slice(-2)) * 60
  return zone.startsWith('-') ? -size : size
}

/** Seconds to add to every time of an event. A client clock that is less than 55 minutes off is not corrected. */
export function drift(receivedMs: number, sentMs: number | undefined): number {
  if (sentMs === undefined) return 0
  const offMs = receivedMs - sentMs
  return Math.abs(offMs) >= 55 * 60_000 ? offMs / 1000 : 0
}
