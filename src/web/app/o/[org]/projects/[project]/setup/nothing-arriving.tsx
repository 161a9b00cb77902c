import { getTranslations } from 'next-intl/server'
import type { ReactNode } from 'react'
import { type Tunnel, tunnelServers } from '../../../../../../../wire/tunnel.ts'
import { Link } from '../../../../../../ui/link.tsx'
import { Snippets } from './snippets.tsx'

type Props = {
  /** The tunnel of the project's key. Undefined for platforms that do not send from browsers. */
  tunnel: Tunnel | undefined
  /** The origin that receives data, as in a content security policy. */
  origin: string
  /** The page of rejected data and of the last requests. */
  rejectedData: string
}

function Help({ title, children, testId }: { title: ReactNode; children: ReactNode; testId?: string }) {
  return (
    <li className="border-b border-line">
      <details className="fold setup-help" data-testid={testId}>
        <summary>{title}</summary>
        <div className="pt-1 pb-4">{children}</div>
      </details>
    </li>
  )
}

/** How to send events through the application's own origin. */
async function TunnelHelp({ tunnel }: { tunnel: Tunnel }) {
  const t = await getTranslations('projectSetup')
  return (
    <>
      <p className="mb-2 max-w-[72ch] text-ink-2">{t('tunnelWhy', { path: tunnel.path })}</p>
      <Snippets parts={[tunnel.client]} />
      <h3 className="mt-4 mb-2">{t('tunnelServer')}</h3>
      <ul className="flex flex-col gap-2">
        {tunnelServers.map((server) => (
          <li key={server}>
            <details className="fold">
              <summary>{t(`tunnelOf.${server}`)}</summary>
              <div className="mt-2">
                <Snippets parts={[tunnel.servers[server]]} />
              </div>
            </details>
          </li>
        ))}
      </ul>
    </>
  )
}

/** The usual causes when no data arrives, and their repair. */
export async function NothingArriving({ tunnel, origin, rejectedData }: Props) {
  const t = await getTranslations('projectSetup.nothing')
  return (
    <section className="mt-8">
      <h2 className="mb-1">{t('title')}</h2>
      <ul className="border-t border-line">
        {tunnel ? (
          <>
            <Help title={t('blocked')} testId="tunnel">
              <TunnelHelp tunnel={tunnel} />
            </Help>
            <Help title={t('policy')}>
              <p className="mb-2 max-w-[72ch] text-ink-2">{t('policyWhy')}</p>
              <Snippets parts={[{ where: 'Content-Security-Policy', code: `connect-src 'self' ${origin}` }]} />
            </Help>
          </>
        ) : (
          <Help title={t('network')}>
            <p className="max-w-[72ch] text-ink-2">
              {t('networkWhy')} <code className="break-all">{origin}</code>
            </p>
          </Help>
        )}
        <Help title={t('silent')}>
          <p className="max-w-[72ch] text-ink-2">
            {t('silentWhy')}{' '}
            <Link className="link" href={rejectedData}>
              {t('rejectedData')}
            </Link>
          </p>
        </Help>
      </ul>
    </section>
  )
}
