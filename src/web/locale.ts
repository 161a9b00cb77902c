export const locales = ['en', 'de'] as const
type Locale = (typeof locales)[number]

const supported = (tag: string): Locale | undefined =>
  locales.find((locale) => tag.toLowerCase().split('-')[0] === locale)

/** The language of a request: the `locale` cookie, then accept-language in its order (browsers sort it by weight). */
export function localeOf(chosen: string | undefined, accepted: string | null): Locale {
  const preferred = [
    chosen ?? '',
    ...(accepted ?? '')
      .slice(0, 200)
      .split(',')
      .map((part) => part.split(';')[0]?.trim() ?? ''),
  ]
  for (const tag of preferred) {
    const locale = supported(tag)
    if (locale) return locale
  }
  return 'en'
}
