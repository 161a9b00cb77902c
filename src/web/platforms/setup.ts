import { browserSetups } from './browser.ts'
import { compiledSetups } from './compiled.ts'
import { serverSetups } from './server.ts'
import { serverJavaScriptSetups } from './server-javascript.ts'
import { firstError, type PlatformSetup, type SnippetPart } from './snippet.ts'

/** Every SDK reads these variables. Shown for a platform that is not in the list. */
const other: PlatformSetup = {
  id: 'other',
  install: { where: 'environment', code: 'SENTRY_DSN=__DSN__' },
  files: [{ where: 'environment', code: 'SENTRY_DSN=__DSN__\nSENTRY_ENVIRONMENT=production' }],
  readable: 'release',
  release: [{ where: 'environment', code: 'SENTRY_RELEASE=' }],
  test: { where: 'shell', code: `SENTRY_DSN=__DSN__ npx @sentry/cli send-event -m '${firstError}'` },
}

const setups: ReadonlyMap<string, PlatformSetup> = new Map(
  [...browserSetups, ...serverJavaScriptSetups, ...serverSetups, ...compiledSetups].map((setup) => [setup.id, setup]),
)

/** What the placeholders of the snippets stand for. */
type Target = { dsn: string; url: string; organization: string; project: string }

/** The set-up of a platform for one project. An unknown platform gets the variables that every SDK reads. */
export function setupOf(platform: string | null, target: Target): PlatformSetup {
  const found = setups.get(platform ?? '') ?? other
  const filled = ({ where, code }: SnippetPart): SnippetPart => ({
    where,
    code: code
      .replaceAll('__DSN__', target.dsn)
      .replaceAll('__URL__', target.url)
      .replaceAll('__ORG__', target.organization)
      .replaceAll('__PROJECT__', target.project),
  })
  return {
    ...found,
    install: filled(found.install),
    files: found.files.map(filled),
    release: found.release.map(filled),
    test: filled(found.test),
  }
}

/** The commands that send the commits and a deploy of a release. They are the same for each platform. */
export const commitsOf = ({ url, organization, project }: Omit<Target, 'dsn'>): SnippetPart => ({
  where: 'shell',
  code: `export SENTRY_URL=${url} SENTRY_ORG=${organization} SENTRY_PROJECT=${project} SENTRY_AUTH_TOKEN=
npx @sentry/cli releases set-commits "$(git rev-parse HEAD)" --auto
npx @sentry/cli deploys new --release "$(git rev-parse HEAD)" --env production`,
})
