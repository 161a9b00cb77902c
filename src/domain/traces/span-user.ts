const userCharactersMax = 200
/** Where SDKs write the user, best known first. `enduser.id` is OpenTelemetry's. Of the user of a transaction only a hash is stored. */
const userKeys = ['user.email', 'user.name', 'user.username', 'user.id', 'enduser.id']

/** The user of a span by its attributes, as they were sent and stored: at most 200 characters, null if they name nobody. */
export function spanUserOf(attributes: Record<string, unknown>): string | null {
  for (const key of userKeys) {
    const value = attributes[key]
    if ((typeof value === 'string' || typeof value === 'number') && String(value).trim() !== '')
      return String(value).slice(0, userCharactersMax)
  }
  return null
}
