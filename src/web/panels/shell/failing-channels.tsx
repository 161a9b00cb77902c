'use client'
import { useTranslations } from 'next-intl'
import { Link } from '../../ui/link.tsx'
import { SeverityShape } from '../../ui/severity.tsx'

/** Says in the frame that channels fail, so that nobody relies on messages that do not arrive. */
export function FailingChannels({ organization, count }: { organization: string; count: number }) {
  const t = useTranslations('channels')
  if (count === 0) return null
  return (
    <Link className="shell-entry" href={`/o/${organization}/settings/notifications`} data-failing={count}>
      <SeverityShape level="error" label="" sizePx={9} />
      <span className="shell-word">{t('frameFailing', { count })}</span>
    </Link>
  )
}
