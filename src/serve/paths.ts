/** A request's target (path and query) as the parts of Mishap know it: without the path of MISHAP_URL. */
export function innerTarget(target: string, basePath: string): string {
  if (basePath === '' || !target.startsWith(basePath)) return target
  const rest = target.slice(basePath.length)
  // a proxy that takes the path away itself is as good: then nothing is left to take
  if (rest === '' || rest.startsWith('?')) return `/${rest}`
  return rest.startsWith('/') ? rest : target
}

/** The target as process app takes it: screens carry the path of MISHAP_URL, which Next was built with; the API does not. */
export function appTarget(inner: string, basePath: string): string {
  if (basePath === '' || inner.startsWith('/api/')) return inner
  // with the slash Next would redirect to the address without it
  return inner === '/' || inner.startsWith('/?') ? `${basePath}${inner.slice(1)}` : `${basePath}${inner}`
}
