/**
 * Makes the path of a request URL decodable. If it is not (`/releases/%ff` is not UTF-8), escapes each percent sign, so
 * that the page answers "not found". Next would answer 500 with its own page.
 */
export function readable(url: string): string {
  const at = url.indexOf('?')
  const path = at < 0 ? url : url.slice(0, at)
  try {
    decodeURIComponent(path)
    return url
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length)
  }
}
