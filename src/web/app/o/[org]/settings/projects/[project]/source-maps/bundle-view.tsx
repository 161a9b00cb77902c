import { notFound } from 'next/navigation'
import { getLocale, getTranslations } from 'next-intl/server'
import { Suspense } from 'react'
import type { ArtifactFile, Bundle } from '../../../../../../../../store/meta/artifacts/artifacts.ts'
import { app } from '../../../../../../../handle.ts'
import { BundleVerdict } from '../../../../../../../panels/source-maps/verdict.tsx'
import type { ProjectHere } from '../../../../../../../server/session.ts'
import { TypedDelete } from '../../../../../../../ui/forms/typed-delete.tsx'
import { Link } from '../../../../../../../ui/link.tsx'
import { PlainText } from '../../../../../../../ui/plain-text.tsx'
import { bytesText } from '../../../../../../../ui/relative.ts'
import { ScrollBox } from '../../../../../../../ui/scroll-box.tsx'
import { Time } from '../../../../../../../ui/time.tsx'
import { deleteBundleAction } from './actions.ts'
import { Places } from './places.tsx'

const pageMax = 200

async function Files({ files }: { files: readonly ArtifactFile[] }) {
  const t = await getTranslations('sources')
  const locale = await getLocale()
  return (
    <ScrollBox label={t('files')}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{t('url')}</th>
            <th scope="col">{t('kind')}</th>
            <th scope="col">{t('debugId')}</th>
            <th scope="col" className="number">
              {t('size')}
            </th>
          </tr>
        </thead>
        <tbody>
          {files.map((file) => (
            <tr key={file.id}>
              <td>
                <code>
                  <PlainText text={file.url} charactersMax={200} />
                </code>
              </td>
              <td className="whitespace-nowrap">{t(file.type)}</td>
              <td>
                <code className="text-small">{file.debugId || '–'}</code>
              </td>
              <td className="number whitespace-nowrap">{bytesText(file.bytes, locale)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

/** The doctor's diagnosis of a bundle. Streams in, because it reads source maps. */
async function Check({
  here: { organization, project },
  bundle,
}: {
  here: Pick<ProjectHere, 'organization' | 'project'>
  bundle: Bundle
}) {
  const { doctor } = app()
  return <BundleVerdict diagnosis={await doctor.ofBundle({ organization, project, others: [] }, bundle)} />
}

/** One bundle: its links, its files after `afterId`, and its deletion. Answers 404 for an unknown id. */
export async function BundleView({
  here: { actor, organization, project },
  uuid,
  afterId,
}: {
  here: ProjectHere
  uuid: string
  afterId: number
}) {
  const t = await getTranslations('sources')
  const locale = await getLocale()
  const { auth, meta } = app()
  const bundle = await meta.artifacts.bundleOf(project.id, uuid)
  if (!bundle) notFound()
  const found = await meta.artifacts.filesOf({ bundleId: bundle.id, text: '', afterId, max: pageMax + 1 })
  const files = found.slice(0, pageMax)
  const links = (await meta.artifacts.linksOf([bundle.id])).filter((link) => link.projectId === project.id)
  const mayWrite = (await auth.may(actor, 'release:write', { organization, project })) === 'yes'
  const base = `/o/${organization.slug}/settings/projects/${project.slug}/source-maps`
  return (
    <>
      <p className="mb-4">
        <Link className="link" href={base}>
          {t('back')}
        </Link>
      </p>
      <h2 className="mb-2">
        {t('bundle')} <code>{bundle.uuid}</code>
      </h2>
      <div className="mb-4 flex flex-wrap gap-x-6 gap-y-1 text-ink-2">
        <Places links={links} max={100} />
        <span>{bytesText(bundle.bytes, locale)}</span>
        <span>
          {t('uploaded')} <Time at={bundle.createdMs} />
        </span>
      </div>
      {afterId === 0 ? (
        <Suspense fallback={<p className="mb-8 text-ink-3">{t('checking')}</p>}>
          <Check here={{ organization, project }} bundle={bundle} />
        </Suspense>
      ) : null}
      <Files files={files} />
      <nav className="mt-3 flex gap-4">
        {afterId === 0 ? null : (
          <Link className="link" href={`${base}?bundle=${bundle.uuid}`}>
            {t('firstFiles')}
          </Link>
        )}
        {found.length > pageMax ? (
          <Link className="link" href={`${base}?bundle=${bundle.uuid}&after=${files.at(-1)?.id}`}>
            {t('moreFiles')}
          </Link>
        ) : null}
      </nav>
      <section className="mt-10">
        {mayWrite ? (
          <TypedDelete
            action={deleteBundleAction}
            form="delete-bundle"
            hidden={{ organization: organization.slug, project: String(project.id), bundle: bundle.uuid }}
            typed={bundle.uuid.slice(0, 8)}
            title={t('delete')}
            hint={t('deleteHint')}
          />
        ) : (
          <p className="text-ink-2">{t('mayNotDelete')}</p>
        )}
      </section>
    </>
  )
}
