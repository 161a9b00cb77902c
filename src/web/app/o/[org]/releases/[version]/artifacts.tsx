import { useLocale, useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import type { Bundle, BundleLink } from '../../../../../../store/meta/artifacts/artifacts.ts'
import type { Project } from '../../../../../../store/meta/meta.ts'
import { app } from '../../../../../handle.ts'
import { Link } from '../../../../../ui/link.tsx'
import { PlainText } from '../../../../../ui/plain-text.tsx'
import { bytesText } from '../../../../../ui/relative.ts'
import { ScrollBox } from '../../../../../ui/scroll-box.tsx'
import { Time } from '../../../../../ui/time.tsx'

/** Maximum bundles to read per project. */
const bundlesMax = 50

export type ReleaseBundle = { project: Project; bundle: Bundle; links: BundleLink[] }

/** The newest bundles of the release in these projects, with their links. `more`: there can be others. */
export async function bundlesOf(
  projects: readonly Project[],
  version: string,
): Promise<{ rows: ReleaseBundle[]; more: boolean }> {
  const { meta } = app()
  let more = false
  const rows = (
    await Array.fromAsync(projects, async (project) => {
      const bundles = await meta.artifacts.listBundles({
        projectId: project.id,
        text: version,
        beforeId: undefined,
        max: bundlesMax,
      })
      const links = await meta.artifacts.linksOf(bundles.map((bundle) => bundle.id))
      more ||= bundles.length === bundlesMax
      return bundles.flatMap((bundle) => {
        const ownLinks = links.filter(
          (link) => link.bundleId === bundle.id && link.projectId === project.id && link.release === version,
        )
        return ownLinks.length > 0 ? [{ project, bundle, links: ownLinks }] : []
      })
    })
  ).flat()
  return { rows, more }
}

/** The bundles of a release with their links, below the doctor's `verdict`. */
export function Artifacts({
  base,
  bundles,
  more,
  verdict,
}: {
  /** Base path of the organization's pages. */
  base: string
  bundles: readonly ReleaseBundle[]
  more: boolean
  verdict: ReactNode
}) {
  const t = useTranslations('releases.page')
  const locale = useLocale()
  const title = useTranslations('releases')('artifacts')
  return (
    <>
      {verdict}
      <ScrollBox label={title}>
        <table className="table">
          <thead>
            <tr>
              <th scope="col">{t('bundle')}</th>
              <th scope="col">{t('bundlePlaces')}</th>
              <th scope="col" className="number">
                {t('bundleFiles')}
              </th>
              <th scope="col" className="number">
                {t('bundleSize')}
              </th>
              <th scope="col">{t('bundleUploaded')}</th>
            </tr>
          </thead>
          <tbody>
            {bundles.map((bundle) => (
              <tr key={`${bundle.project.id}:${bundle.bundle.id}`}>
                <td>
                  <Link
                    className="link"
                    href={`${base}/settings/projects/${bundle.project.slug}/source-maps?bundle=${bundle.bundle.uuid}`}
                  >
                    <code>{bundle.bundle.uuid.slice(0, 8)}</code>
                  </Link>{' '}
                  <span className="text-ink-3">{bundle.project.slug}</span>
                </td>
                <td>
                  {bundle.links.map((link) => (
                    <span key={link.dist} className="block">
                      <code>
                        <PlainText text={link.release} charactersMax={64} />
                      </code>{' '}
                      <span className="text-ink-3">
                        <PlainText text={link.dist} charactersMax={64} />
                      </span>
                    </span>
                  ))}
                </td>
                <td className="number">{bundle.bundle.files}</td>
                <td className="number whitespace-nowrap">{bytesText(bundle.bundle.bytes, locale)}</td>
                <td className="whitespace-nowrap">
                  <Time at={bundle.bundle.createdMs} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
      {more ? <p className="mt-2 text-small text-ink-3">{t('bundlesMore')}</p> : null}
    </>
  )
}
