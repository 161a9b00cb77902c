import { getTranslations } from 'next-intl/server'
import { type Tunnel, tunnelServers } from '../../../../../../../wire/tunnel.ts'
import { Snippets } from './snippets.tsx'

/** How to send events through the application's own origin. Collapsed, because most applications send directly. */
export async function TunnelHelp({ tunnel }: { tunnel: Tunnel }) {
  const t = await getTranslations('projectSetup')
  return (
    <details className="fold mt-6" data-testid="tunnel">
      <summary>{t('tunnel')}</summary>
      <p className="my-2 max-w-[72ch] text-ink-2">{t('tunnelWhy', { path: tunnel.path })}</p>
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
    </details>
  )
}
