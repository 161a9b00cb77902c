'use client'
import { useTranslations } from 'next-intl'
import { useSyncExternalStore } from 'react'
import { addressFault, mendedUrl } from '../address.ts'
import { withBase } from '../base-path.ts'
import { SeverityShape } from './severity.tsx'

const never = () => () => {}

/**
 * Warns that forms will fail, or links and cookies will break, at the address in the browser, and shows the fix.
 * Renders nothing if the address fits. `url` is MISHAP_URL, `seen` the origin of the request, which is all that is
 * known without JavaScript.
 */
export function AddressWarning({ url, seen }: { url: string; seen: string }) {
  const t = useTranslations('address')
  const href = useSyncExternalStore(
    never,
    () => window.location.href,
    () => seen + withBase('/'),
  )
  const { origin, pathname, search } = new URL(href)
  const fault = addressFault(origin, url, seen)
  if (!fault) return null
  return (
    <div role="alert" data-fault={fault} className="mb-6 flex items-baseline gap-2">
      <SeverityShape level="warning" label="" />
      <div className="flex min-w-0 flex-col gap-1">
        <p>{t(fault, { origin, url })}</p>
        {fault === 'secure' ? (
          <p>
            <a className="link" href={new URL(url).origin + pathname + search}>
              {t('open', { url })}
            </a>
          </p>
        ) : (
          <>
            <p>{t('mend')}</p>
            <code className="break-all">MISHAP_URL={mendedUrl(origin, url)}</code>
            <p className="text-ink-3">{t(origin.startsWith('https:') ? 'proxy' : 'page')}</p>
          </>
        )}
      </div>
    </div>
  )
}
