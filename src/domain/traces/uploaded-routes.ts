/** Routes of a Next.js application that were uploaded with these releases: `/blog/[slug]`. Newest first. */
export type UploadedRoutes = { releases: string[]; routes: string[] }

/** Workers get the settings with each range of records, so they must stay small: 2,500 routes are 60 kB. */
const [setsMax, releasesMax, routesMax] = [5, 20, 500]
/** Longer routes are left out. */
export const routeLengthMax = 200

/** Hash that a build adds to the name of a file. */
const hash = /-[0-9a-f]{8,32}$/i
const script = /\.(?:[cm]?js)(?:\.map)?$/i
/** Files of the two routers, below the folder of the browser's files or of the server's. */
const place = /^(?:~|https?:\/\/[^/]+)?(\/.*?)?\/?(?:_next\/|\.next\/)?(static\/chunks|server)\/(app|pages)\/(.+)$/i
const interceptor = /^\(\.{1,3}\)/
/** Files of the pages router that are no pages. */
const special: ReadonlySet<string> = new Set(['_app', '_document', '_error', '_middleware', '404', '500'])

/** Decodes one part of an address. A broken one stays as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The route of a file of the app router: `blog/[slug]/page`. Groups and slots are no part of an address. */
function appRoute(folders: readonly string[], file: string): string | undefined {
  if (file !== 'page' && file !== 'route') return undefined
  const parts = folders.filter((part) => !/^\([^.)][^)]*\)$/.test(part) && !part.startsWith('@'))
  // Folders with an underscore are private. A page that intercepts another has the address of that page.
  if (parts.some((part) => part.startsWith('_') || interceptor.test(part))) return undefined
  return `/${parts.map((part) => part.replace(/^%5f/i, '_')).join('/')}`
}

function pagesRoute(folders: readonly string[], file: string): string | undefined {
  if (folders.length === 0 && special.has(file)) return undefined
  return `/${[...folders, ...(file === 'index' ? [] : [file])].join('/')}`
}

/**
 * Returns the route that a file of a Next.js build belongs to, by its uploaded name; undefined for other files. A folder
 * before `_next` is the base path of the application.
 */
export function routeOfFile(url: string): string | undefined {
  const path = url.replace(/[?#].*$/, '')
  if (!script.test(path) || path.length > 1000) return undefined
  const found = place.exec(path)
  if (!found) return undefined
  const base = /_next\//.test(path) ? (found[1] ?? '').replace(/\/(?:\.next|_next)$/, '') : ''
  const parts = (found[4] ?? '').replace(script, '').split('/').map(decoded)
  const file = (parts.pop() ?? '').replace(hash, '')
  const route = (found[3]?.toLowerCase() === 'app' ? appRoute : pagesRoute)(parts, file)
  if (route === undefined) return undefined
  const whole = `${base === '/' ? '' : base}${route}`
  return whole.length > 1 && whole.endsWith('/') ? whole.slice(0, -1) : whole
}

const manifestName = /(?:^|\/)(app-path-routes|app-paths|pages|routes)-manifest\.json$/i
/** Whether an uploaded file lists the routes of a Next.js build. */
export const isRouteManifest = (url: string): boolean => manifestName.test(url.replace(/[?#].*$/, ''))

const object = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}

/**
 * Reads `routes-manifest.json` (static and dynamic routes) or `app-path-routes-manifest.json` (routes by file) of a
 * Next.js build. Returns no routes for anything else.
 */
export function routesOfManifest(text: string): string[] {
  let value: Record<string, unknown>
  try {
    value = object(JSON.parse(text))
  } catch {
    return []
  }
  const base =
    typeof value['basePath'] === 'string' && /^(?:\/[^\s?#]+)?$/.test(value['basePath']) ? value['basePath'] : ''
  const listed = ['staticRoutes', 'dynamicRoutes'].flatMap((key) => {
    const list = value[key]
    return Array.isArray(list) ? list.map((item) => object(item)['page']) : []
  })
  const pages = listed.length > 0 ? listed : Object.values(value)
  return pages
    .filter((page): page is string => typeof page === 'string' && /^\/[^\s?#]*$/.test(page))
    .filter((page) => !/^\/_(?:app|document|error|not-found|global-error)$/.test(page))
    .map((page) => `${base}${page === '/' && base ? '' : page}`)
}

/**
 * Adds routes of a release to those of a project. Returns the same list if it knows them. Releases with the same routes
 * share one entry, and the oldest entries leave.
 */
export function addUploaded(
  sets: readonly UploadedRoutes[],
  release: string,
  routes: readonly string[],
): readonly UploadedRoutes[] {
  const known = sets.find(({ releases }) => releases.includes(release))
  const all = new Set([...(known?.routes ?? []), ...routes.filter((route) => route.length <= routeLengthMax)])
  const sorted = [...all].toSorted().slice(0, routesMax)
  if (sorted.length === 0 || (known && known.routes.length === sorted.length)) return sets
  const without = sets
    .map((set) => ({ ...set, releases: set.releases.filter((name) => name !== release) }))
    .filter(({ releases }) => releases.length > 0)
  const same = without.find(({ routes: others }) => others.join('\n') === sorted.join('\n'))
  const first = { releases: [release, ...(same?.releases ?? [])].slice(0, releasesMax), routes: sorted }
  return [first, ...without.filter((set) => set !== same)].slice(0, setsMax)
}

type Kind = 'text' | 'name' | 'rest'
const kindOf = (part: string): Kind => (/^\[\[?\.\.\./.test(part) ? 'rest' : part.startsWith('[') ? 'name' : 'text')
const order: Record<Kind, number> = { text: 0, name: 1, rest: 2 }

/** A route in parts between slashes. `isOptional`: its rest can be empty. */
type Compiled = { text: string; parts: string[]; kinds: Kind[]; isOpen: boolean; isOptional: boolean }

/** As Next.js does it: at the first part that differs, a name comes before a placeholder, and that before a rest. */
function compare(a: Compiled, b: Compiled): number {
  for (const [at, kind] of a.kinds.entries()) {
    const other = b.kinds[at]
    if (other === undefined) return -1
    if (order[kind] !== order[other]) return order[kind] - order[other]
  }
  return a.kinds.length - b.kinds.length || (a.text < b.text ? -1 : 1)
}

/** Compiles routes for `matchingUploaded`. */
export const compileUploaded = (routes: readonly string[]): readonly Compiled[] =>
  routes
    .map((text): Compiled => {
      const parts = text === '/' ? ['', ''] : text.split('/')
      const kinds = parts.map(kindOf)
      const isOpen = kinds.at(-1) === 'rest'
      return { text, parts, kinds, isOpen, isOptional: isOpen && (parts.at(-1)?.startsWith('[[') ?? false) }
    })
    .toSorted(compare)

/** Returns the route of a path (as parts between slashes), undefined if there is none. */
export function matchingUploaded(parts: readonly string[], routes: readonly Compiled[]): string | undefined {
  return routes.find(({ parts: own, kinds, isOpen, isOptional }) => {
    const least = isOptional ? own.length - 1 : own.length
    if (isOpen ? parts.length < least : parts.length !== own.length) return false
    return own.every((part, at) =>
      kinds[at] === 'rest'
        ? at < parts.length || isOptional
        : kinds[at] === 'name'
          ? parts[at] !== ''
          : part === parts[at],
    )
  })?.text
}
