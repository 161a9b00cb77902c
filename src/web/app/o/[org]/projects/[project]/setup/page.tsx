import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { dsnOf } from '../../../../../../../wire/dsn.ts'
import { tunnelOf } from '../../../../../../../wire/tunnel.ts'
import { digestHookOf, mayHideErrors } from '../../../../../../digest-hook.ts'
import { app } from '../../../../../../handle.ts'
import { commitsOf, setupOf } from '../../../../../../platforms/setup.ts'
import { platformById, sendsFromBrowsers } from '../../../../../../platforms.ts'
import { demandProject } from '../../../../../../server/session.ts'
import { CopyButton } from '../../../../../../ui/copy/copy-button.tsx'
import { buttonClass } from '../../../../../../ui/forms/controls.tsx'
import { Link } from '../../../../../../ui/link.tsx'
import { Arrivals } from './arrivals.tsx'
import { FileTabs } from './file-tabs.tsx'
import { LastRequests } from './last-requests.tsx'
import { NothingArriving } from './nothing-arriving.tsx'
import { SetupSteps } from './setup-steps.tsx'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getTranslations('projectSetup'))('title') }
}

type Props = {
  params: Promise<{ org: string; project: string }>
  /** `digests`: show the hook on any platform. The link of an error that hides another sets it: that error is React's. */
  searchParams: Promise<{ digests?: string }>
}

/** The DSN, the five steps of the platform, and whether each kind of data arrives. */
export default async function ProjectSetupPage({ params, searchParams }: Props) {
  const { org, project: projectSlug } = await params
  const asksDigests = (await searchParams).digests !== undefined
  const { actor, organization, project } = await demandProject(
    org,
    projectSlug,
    `/o/${org}/projects/${projectSlug}/setup`,
  )
  const t = await getTranslations('projectSetup')
  const { meta, auth, config } = app()
  const key = (await meta.projects.keysOf(project.id)).find((projectKey) => projectKey.active)
  const dsn = key && dsnOf(config.url, key)
  const target = { dsn: dsn ?? '', url: config.url, organization: organization.slug, project: project.slug }
  const setup = setupOf(project.platform, target)
  const commits = commitsOf(target)
  const base = `/o/${organization.slug}`
  const settings = `${base}/settings/projects/${project.slug}`
  const may = async (operation: Parameters<typeof auth.may>[1]) =>
    (await auth.may(actor, operation, { organization, project })) === 'yes'
  return (
    <div className="page grid max-w-[1180px] grid-cols-1 gap-x-10 gap-y-8 full:grid-cols-[minmax(0,1fr)_400px]">
      <section className="min-w-0">
        <header className="page-head">
          <h1>{t('connect', { name: project.name })}</h1>
          <span className="text-ink-3">{platformById(project.platform ?? 'other')?.name ?? project.platform}</span>
          {(await may('project:write')) ? (
            <Link className="link" href={`${settings}#platform`}>
              {t('changePlatform')}
            </Link>
          ) : null}
          <Link className={`${buttonClass({})} ml-auto`} href={`${base}/issues?project=${project.slug}`}>
            {t('finishLater')}
          </Link>
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
              asksOptional={asksDigests}
              optional={
                mayHideErrors(project.platform) || asksDigests ? (
                  <section id="digest-hook" className="mt-6 scroll-mt-4">
                    <h3 className="mb-1">{t('hook')}</h3>
                    <p className="mb-3 max-w-[72ch] text-ink-2">{t('hookWhy')}</p>
                    <FileTabs parts={digestHookOf(dsn)} />
                  </section>
                ) : null
              }
            />
            <NothingArriving
              tunnel={key && sendsFromBrowsers(project.platform) ? tunnelOf(config.url, key) : undefined}
              origin={new URL(config.url).origin}
              rejectedData={`${settings}/rejected-data`}
            />
          </>
        ) : (
          <p className="text-ink-2">
            {t('noKey')}{' '}
            <Link className="link" href={`${settings}/keys`}>
              {t('keys')}
            </Link>
          </p>
        )}
      </section>
      <div className="min-w-0">
        <Arrivals
          organization={organization.slug}
          project={project.slug}
          projectId={String(project.id)}
          readable={setup.readable}
          mayRemove={await may('issue:delete')}
          maySend={(await may('issue:triage')) && key !== undefined}
        />
        <LastRequests
          organization={organization.slug}
          project={project.slug}
          rejectedData={`${settings}/rejected-data`}
        />
      </div>
    </div>
  )
}
