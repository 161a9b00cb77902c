import { getTranslations } from 'next-intl/server'
import { Suspense } from 'react'
import type { Project } from '../../../../../../store/meta/meta.ts'
import { app } from '../../../../../handle.ts'
import { Deploys } from '../../../../../panels/releases/deploys.tsx'
import type { LoadedRelease, ReleaseHere } from '../../../../../panels/releases/load-release.ts'
import { Commands, cli, cliEnvironment } from '../../../../../panels/releases/no-releases.tsx'
import { ReleaseVerdict } from '../../../../../panels/source-maps/verdict.tsx'
import { unlessAway } from '../../../../../server/unless-away.ts'
import { Section } from '../../../../../ui/section.tsx'
import { Artifacts, bundlesOf } from './artifacts.tsx'

type PartProps = { here: ReleaseHere; loaded: LoadedRelease }

const quotedVersion = ({ release }: ReleaseHere): string => `'${release.version.replaceAll("'", `'\\''`)}'`
const environmentOf = ({ organization, release }: ReleaseHere): string =>
  cliEnvironment(organization.slug, release.projects[0]?.slug ?? '')

/** The doctor's diagnosis of a release in one project. Streams in, because it reads source maps. */
async function Check({ here: { actor, organization, release }, project }: { here: ReleaseHere; project: Project }) {
  const { auth, doctor } = app()
  const t = await getTranslations('releases')
  const mayReadEvents = (await auth.may(actor, 'event:read', { organization, project })) === 'yes'
  const check = { release: release.version, dist: undefined, mayReadEvents }
  const diagnosis = await unlessAway(doctor.ofRelease({ organization, project, others: [] }, check))
  return diagnosis ? <ReleaseVerdict diagnosis={diagnosis} /> : <p className="stream-away">{t('away')}</p>
}

/** Maximum projects that the doctor checks automatically: it reads the source maps of each. */
const checkedMax = 3

/** The doctor's diagnosis for each project with bundles of the release. */
async function Verdicts({ here, projects }: { here: ReleaseHere; projects: Project[] }) {
  const t = await getTranslations('sources')
  return projects.slice(0, checkedMax).map((project) => (
    <div key={project.id} className="mb-4">
      {projects.length > 1 ? <h3 className="mb-1 text-ink-2">{project.slug}</h3> : null}
      <Suspense fallback={<p className="text-ink-3">{t('checking')}</p>}>
        <Check here={here} project={project} />
      </Suspense>
    </div>
  ))
}

/** The deploys of a release, or the command that reports a deploy. */
export async function DeployPart({ here, loaded }: PartProps) {
  const t = await getTranslations('releases')
  return (
    <Section id="deploys" title={t('deploys')} note={here.release.deployCount}>
      {loaded.deploys.rows.length > 0 ? (
        <Deploys deploys={loaded.deploys.rows} />
      ) : (
        <>
          <p className="mb-2 text-ink-2">{t('page.deploysNone')}</p>
          <Commands
            label={t('deploys')}
            lines={[environmentOf(here), `${cli()} deploys new --release ${quotedVersion(here)} --env production`]}
          />
        </>
      )}
    </Section>
  )
}

/** The doctor's diagnosis and the bundles of a release, or the command that uploads source maps. */
export async function SourceMapPart({ here, loaded }: PartProps) {
  const t = await getTranslations('releases')
  const bundles = await bundlesOf(loaded.projects, here.release.version)
  return (
    <Section id="sources" title={t('artifacts')} note={here.release.bundleCount}>
      {bundles.rows.length > 0 ? (
        <Artifacts
          base={`/o/${here.organization.slug}`}
          bundles={bundles.rows}
          more={bundles.more}
          verdict={<Verdicts here={here} projects={[...new Set(bundles.rows.map((row) => row.project))]} />}
        />
      ) : (
        <>
          <p className="mb-2 text-ink-2">{t('page.artifactsNone')}</p>
          <Commands
            label={t('artifacts')}
            lines={[environmentOf(here), `${cli()} sourcemaps upload --release ${quotedVersion(here)} ./dist`]}
          />
        </>
      )}
    </Section>
  )
}
