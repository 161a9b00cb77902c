/**
 * The URL of a request so that its path can be decoded: where it can't (`/releases/%ff`: no UTF-8), each percent sign stands
 * for itself, so the page for it says "not found". Next answers such a path with 500 and a page of its own.
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
