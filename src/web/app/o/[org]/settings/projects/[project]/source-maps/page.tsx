import { getLocale, getTranslations } from 'next-intl/server'
import type { Bundle, BundleLink } from '../../../../../../../../store/meta/artifacts/artifacts.ts'
import { app } from '../../../../../../../handle.ts'
import type { ProjectHere } from '../../../../../../../server/session.ts'
import { CopyButton } from '../../../../../../../ui/copy/copy-button.tsx'
import { Button, TextField } from '../../../../../../../ui/forms/controls.tsx'
import { Link } from '../../../../../../../ui/link.tsx'
import { PlainText } from '../../../../../../../ui/plain-text.tsx'
import { bytesText } from '../../../../../../../ui/relative.ts'
import { ScrollBox } from '../../../../../../../ui/scroll-box.tsx'
import { EmptyState } from '../../../../../../../ui/states.tsx'
import { Time } from '../../../../../../../ui/time.tsx'
import { type SettingsContext, settingsPage, settingsTitle } from '../settings-page.tsx'
import { BundleView } from './bundle-view.tsx'
import { Places } from './places.tsx'

const pageMax = 50

/** The three commands that upload the output of a build. */
async function HowTo({ org, project }: { org: string; project: string }) {
  const t = await getTranslations('sources')
  const where = `--url ${app().config.url}`
  const commands = [
    `export SENTRY_ORG=${org} SENTRY_PROJECT=${project} SENTRY_AUTH_TOKEN=…`,
    `npx @sentry/cli ${where} sourcemaps inject ./dist`,
    `npx @sentry/cli ${where} sourcemaps upload ./dist`,
  ].join('\n')
  return (
    <EmptyState title={t('none')}>
      <p className="mb-3">{t('noneTodo')}</p>
      <ScrollBox label={t('none')}>
        <pre className="rounded border border-line p-3">{commands}</pre>
      </ScrollBox>
      <p className="mt-3">
        <CopyButton text={commands} label={t('copy')} />
      </p>
    </EmptyState>
  )
}

async function Bundles({
  base,
  rows,
  links,
}: {
  base: string
  rows: readonly Bundle[]
  links: readonly (BundleLink & { bundleId: number })[]
}) {
  const t = await getTranslations('sources')
  const locale = await getLocale()
  return (
    <ScrollBox label={t('title')}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{t('bundle')}</th>
            <th scope="col">{t('release')}</th>
            <th scope="col" className="number">
              {t('files')}
            </th>
            <th scope="col" className="number">
              {t('size')}
            </th>
            <th scope="col">{t('uploaded')}</th>
            <th scope="col">{t('used')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <td>
                <Link className="link" href={`${base}?bundle=${row.uuid}`}>
                  <code>{row.uuid.slice(0, 8)}</code>
                </Link>
              </td>
              <td>
                <Places links={links.filter((link) => link.bundleId === row.id)} max={3} />
              </td>
              <td className="number">{row.files}</td>
              <td className="number whitespace-nowrap">{bytesText(row.bytes, locale)}</td>
              <td className="whitespace-nowrap">
                <Time at={row.createdMs} />
              </td>
              <td className="whitespace-nowrap">{row.usedMs > row.createdMs ? <Time at={row.usedMs} /> : '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollBox>
  )
}

const numberOf = (text: SettingsContext['search'][string]) =>
  typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : undefined

/** List and search of a project's bundles, after `beforeId`. */
async function ListView({
  here: { organization, project },
  text,
  beforeId,
}: {
  here: ProjectHere
  text: string
  beforeId: number | undefined
}) {
  const t = await getTranslations('sources')
  const { meta, config } = app()
  const found = await meta.artifacts.listBundles({ projectId: project.id, text, beforeId, max: pageMax + 1 })
  const rows = found.slice(0, pageMax)
  const links = (await meta.artifacts.linksOf(rows.map((row) => row.id))).filter(
    (link) => link.projectId === project.id,
  )
  const base = `/o/${organization.slug}/settings/projects/${project.slug}/source-maps`
  const search = text === '' ? '' : `q=${encodeURIComponent(text)}&`
  const isEmpty = rows.length === 0 && text === '' && beforeId === undefined
  return (
    <>
      <p className="mb-4 max-w-[72ch] text-ink-2">{t('intro')}</p>
      {isEmpty ? (
        <HowTo org={organization.slug} project={project.slug} />
      ) : (
        <>
          {/* Works as a plain form without scripts. */}
          <search>
            <form action={`${config.basePath}${base}`} className="mb-4 flex flex-wrap items-end gap-3">
              <div className="min-w-0 grow basis-[280px]">
                <TextField
                  id="bundle-search"
                  name="q"
                  label={t('searchLabel')}
                  defaultValue={text}
                  errors={undefined}
                />
              </div>
              <Button type="submit">{t('searchNow')}</Button>
              {text === '' ? null : (
                <Link className="link" href={base}>
                  {t('clear')}
                </Link>
              )}
            </form>
          </search>
          {rows.length === 0 ? (
            <EmptyState title={t('noneFound')}>
              <PlainText text={t('noneFoundTodo', { text })} charactersMax={400} />
            </EmptyState>
          ) : (
            <Bundles base={base} rows={rows} links={links} />
          )}
          <p className="mt-3 text-small text-ink-3">{t('retention', { days: config.retentionErrorsDays })}</p>
        </>
      )}
      <nav className="mt-4 flex gap-4">
        {beforeId === undefined ? null : (
          <Link className="link" href={`${base}?${search}`}>
            {t('newest')}
          </Link>
        )}
        {found.length > pageMax ? (
          <Link className="link" href={`${base}?${search}before=${rows.at(-1)?.id}`}>
            {t('older')}
          </Link>
        ) : null}
      </nav>
    </>
  )
}

/** A project's uploaded bundles with search. `?bundle=` shows one bundle. */
function SourceMaps({ here, search: { q, before, bundle, after } }: SettingsContext) {
  if (typeof bundle === 'string') return <BundleView here={here} uuid={bundle} afterId={numberOf(after) ?? 0} />
  const text = typeof q === 'string' ? q.trim().slice(0, 1000) : ''
  return <ListView here={here} text={text} beforeId={numberOf(before)} />
}

export const generateMetadata = settingsTitle('sources')

export default settingsPage('sources', [{ id: 'sources', Component: SourceMaps }], { isWide: true })
