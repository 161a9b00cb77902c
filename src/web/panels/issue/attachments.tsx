'use client'
import { useLocale, useTranslations } from 'next-intl'
import { useEffect, useRef, useState } from 'react'
import type { RestAttachment, RestEvent } from '../../../contract/events.ts'
import { imageBytesMax } from '../../../domain/raster-image.ts'
import { withBase } from '../../base-path.ts'
import { Section } from '../../ui/panel-section.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { bytesText } from '../../ui/relative.ts'

const imagesMax = 12

/** Whether to ask the server for an image. The server decides by the bytes. */
const mayBeImage = ({ mimetype, name, size }: RestAttachment) =>
  size <= imageBytesMax &&
  (/^image\/(?:png|jpeg|gif|webp|avif)\b/i.test(mimetype) || /\.(?:png|jpe?g|gif|webp|avif)$/i.test(name))

/**
 * Files that came with the event. Raster images are shown: the server sends only those, with their own type and a CSP
 * without scripts. Everything else is offered for download and never rendered.
 */
export function Attachments({
  event,
  organization,
  project,
}: {
  event: RestEvent
  organization: string
  project: string
}) {
  const t = useTranslations('issues.attachments')
  const locale = useLocale()
  const pathOf = (id: string, download: string) =>
    withBase(
      `/api/0/projects/${organization}/${project}/events/${event.eventID}/attachments/${id}/?download=${download}`,
    )
  const images = event.attachments.filter(mayBeImage).slice(0, imagesMax)
  return (
    <Section id="attachments" title={t('title')} note={String(event.attachments.length)}>
      {images.length > 0 ? (
        <ul className="attachment-images">
          {images.map((attachment) => (
            <AttachmentImage key={attachment.id} name={attachment.name} path={pathOf(attachment.id, 'image')} />
          ))}
        </ul>
      ) : null}
      <ul className="plain-list">
        {event.attachments.map((attachment) => (
          <li key={attachment.id}>
            <a className="link" download href={pathOf(attachment.id, '1')}>
              <PlainText text={attachment.name} charactersMax={200} />
            </a>{' '}
            <span className="text-ink-3">
              {bytesText(attachment.size, locale)} · <PlainText text={attachment.mimetype} charactersMax={80} />
              {attachment.type === 'event.minidump' ? ` · ${t('minidump')}` : ''}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  )
}

/** One image in a box of a fixed size, so that nothing moves when it arrives. Nothing if the server refuses it. */
function AttachmentImage({ name, path }: { name: string; path: string }) {
  const t = useTranslations('parts.images')
  const image = useRef<HTMLImageElement>(null)
  const [isRefused, setRefused] = useState(false)
  // The error may come before React listens.
  useEffect(() => {
    if (image.current?.complete && image.current.naturalWidth === 0) setRefused(true)
  }, [])
  if (isRefused) return null
  return (
    <li>
      <a href={path} target="_blank" rel="noreferrer noopener" title={name.slice(0, 200)}>
        {/* biome-ignore lint/performance/noImgElement: Next's loader would fetch and change the bytes on the server */}
        <img
          ref={image}
          src={path}
          alt={t('alt', { name: name.slice(0, 200) })}
          width={240}
          height={160}
          onError={() => setRefused(true)}
        />
      </a>
    </li>
  )
}
