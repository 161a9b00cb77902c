import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { dsnOf } from '../../../../../../../wire/dsn.ts'
import { tunnelOf } from '../../../../../../../wire/tunnel.ts'
import { digestHookOf, mayHideErrors } from '../../../../../../digest-hook.ts'
import { app } from '../../../../../../handle.ts'
import { commitsOf, setupOf } from '../../../../../../platforms/setup.ts'
import { platformById, sendsFromBrowsers } from '../../../../../../platforms.ts'
import { demandProject } from '../../../../../../server/session.ts'
import { CopyButton } from '../../../../../../ui/copy-button.tsx'
import { Link } from '../../../../../../ui/link.tsx'
import { Arrivals } from './arrivals.tsx'
import { FileTabs } from './file-tabs.tsx'
import { SetupSteps } from './setup-steps.tsx'
import { TunnelHelp } from './tunnel.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('projectSetup'))('title') }
}

/** The DSN, the five steps of the platform, and whether each kind of data arrives. */
export default async function ProjectSetupPage({ params }: { params: Promise<{ org: string; project: string }> }) {
  const { org, project: projectSlug } = await params
  const { actor, organization, project } = await demandProject(
    org,
    projectSlug,
    `/o/${org}/projects/${projectSlug}/setup`,
  )
  const t = await getTranslations('projectSetup')
  const { meta, auth, config } = app()
  const key = meta.keysOf(project.id).find((projectKey) => projectKey.active)
  const dsn = key && dsnOf(config.url, key)
  const target = { dsn: dsn ?? '', url: config.url, organization: organization.slug, project: project.slug }
  const setup = setupOf(project.platform, target)
  const commits = commitsOf(target)
  const base = `/o/${organization.slug}`
  return (
    <div className="page grid max-w-[1180px] grid-cols-1 gap-x-10 gap-y-8 full:grid-cols-[minmax(0,1fr)_400px]">
      <section className="min-w-0">
        <header className="page-head">
          <h1>{t('connect', { name: project.name })}</h1>
          <span className="text-ink-3">{platformById(project.platform ?? 'other')?.name ?? project.platform}</span>
        </header>
        {dsn ? (
          <>
            <h2 className="mb-1">DSN</h2>
            <div className="box mb-1 flex items-center gap-2 p-2 pl-3">
              <code className="min-w-0 grow break-all" data-testid="dsn">
                {dsn}
              </code>
              <CopyButton text={dsn} label={t('copyDsn')} />
            </div>
            <p className="mb-6 text-small text-ink-3">{t('dsnNote')}</p>
            <SetupSteps
              setup={setup}
              commits={commits}
              optional={
                <>
                  {mayHideErrors(project.platform) ? (
                    <section id="digest-hook" className="mt-6 scroll-mt-4">
                      <h3 className="mb-1">{t('hook')}</h3>
                      <p className="mb-3 max-w-[72ch] text-ink-2">{t('hookWhy')}</p>
                      <FileTabs parts={digestHookOf(dsn)} />
                    </section>
                  ) : null}
                  {key && sendsFromBrowsers(project.platform) ? (
                    <TunnelHelp tunnel={tunnelOf(config.url, key)} />
                  ) : null}
                </>
              }
            />
          </>
        ) : (
          <p className="text-ink-2">
            {t('noKey')}{' '}
            <Link className="link" href={`${base}/settings/projects/${project.slug}/keys`}>
              {t('keys')}
            </Link>
          </p>
        )}
      </section>
      <Arrivals
        organization={organization.slug}
        project={project.slug}
        projectId={String(project.id)}
        readable={setup.readable}
        mayRemove={auth.may(actor, 'issue:delete', { organization, project }) === 'yes'}
        maySend={auth.may(actor, 'issue:triage', { organization, project }) === 'yes' && key !== undefined}
      />
    </div>
  )
}
