/** The platforms of a project, in the order of the form, with Sentry's ids. Their set-up is in src/web/platforms. */
export const platforms = [
  { id: 'javascript', name: 'Browser JavaScript' },
  { id: 'javascript-react', name: 'React' },
  { id: 'javascript-nextjs', name: 'Next.js' },
  { id: 'node', name: 'Node.js' },
  { id: 'python', name: 'Python' },
  { id: 'javascript-vue', name: 'Vue' },
  { id: 'javascript-nuxt', name: 'Nuxt' },
  { id: 'javascript-angular', name: 'Angular' },
  { id: 'javascript-svelte', name: 'Svelte' },
  { id: 'javascript-sveltekit', name: 'SvelteKit' },
  { id: 'javascript-react-router', name: 'React Router' },
  { id: 'javascript-astro', name: 'Astro' },
  { id: 'javascript-solid', name: 'Solid' },
  { id: 'react-native', name: 'React Native' },
  { id: 'electron', name: 'Electron' },
  { id: 'node-express', name: 'Express' },
  { id: 'node-fastify', name: 'Fastify' },
  { id: 'node-nestjs', name: 'NestJS' },
  { id: 'bun', name: 'Bun' },
  { id: 'deno', name: 'Deno' },
  { id: 'python-django', name: 'Django' },
  { id: 'python-flask', name: 'Flask' },
  { id: 'python-fastapi', name: 'FastAPI' },
  { id: 'python-celery', name: 'Celery' },
  { id: 'ruby', name: 'Ruby' },
  { id: 'ruby-rails', name: 'Rails' },
  { id: 'php', name: 'PHP' },
  { id: 'php-laravel', name: 'Laravel' },
  { id: 'php-symfony', name: 'Symfony' },
  { id: 'go', name: 'Go' },
  { id: 'go-gin', name: 'Gin' },
  { id: 'rust', name: 'Rust' },
  { id: 'elixir', name: 'Elixir' },
  { id: 'java', name: 'Java' },
  { id: 'java-spring-boot', name: 'Spring Boot' },
  { id: 'kotlin', name: 'Kotlin' },
  { id: 'csharp', name: '.NET' },
  { id: 'dotnet-aspnetcore', name: 'ASP.NET Core' },
  { id: 'android', name: 'Android' },
  { id: 'apple', name: 'Apple (iOS, macOS)' },
  { id: 'flutter', name: 'Flutter' },
  { id: 'unity', name: 'Unity' },
  { id: 'other', name: 'Other' },
] as const

type PlatformGroup = 'browser' | 'server' | 'app' | 'other'
const apps: ReadonlySet<string> = new Set(['react-native', 'electron', 'android', 'apple', 'flutter', 'unity'])
const groupOf = (id: string): PlatformGroup =>
  id.startsWith('javascript') ? 'browser' : apps.has(id) ? 'app' : id === 'other' ? 'other' : 'server'

/** The platforms by where they run. A form has one group after the other; its words are `platformGroups.<id>`. */
export const platformGroups = (['browser', 'server', 'app', 'other'] as const).map((id) => ({
  id,
  platforms: platforms.filter((platform) => groupOf(platform.id) === id),
}))

/** The platform with this id, or undefined. */
export const platformById = (id: string): (typeof platforms)[number] | undefined =>
  platforms.find((platform) => platform.id === id)

/** The platform of a form as stored in a project: null for `other` and unknown ids. */
export const storedPlatform = (id: string): string | null => {
  const platform = platformById(id)?.id ?? 'other'
  return platform === 'other' ? null : platform
}

/** Whether applications of this platform can send from browsers. True for an unknown platform. */
export const sendsFromBrowsers = (id: string | null): boolean =>
  id === null || id === 'other' || id.startsWith('javascript')
