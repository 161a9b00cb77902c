/** Removes the path of MISHAP_URL from a request target (path and query). */
export function innerTarget(target: string, basePath: string): string {
  if (basePath === '' || !target.startsWith(basePath)) return target
  const rest = target.slice(basePath.length)
  // A proxy can remove the path itself. Then there is nothing left to remove.
  if (rest === '' || rest.startsWith('?')) return `/${rest}`
  return rest.startsWith('/') ? rest : target
}

/** Returns the target for the app process. Screens include the path of MISHAP_URL, because Next was built with it. */
export function appTarget(inner: string, basePath: string): string {
  if (basePath === '' || inner.startsWith('/api/')) return inner
  // With a trailing slash, Next would redirect to the address without it.
  return inner === '/' || inner.startsWith('/?') ? `${basePath}${inner.slice(1)}` : `${basePath}${inner}`
}
