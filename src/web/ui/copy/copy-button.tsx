'use client'
import { Check, Copy } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { systemClock } from '../../../base/clock.ts'
import { Button } from '../forms/controls.tsx'
import { copyText } from './clipboard.ts'

/** Copies `text` (or the result of `text()`) and confirms it. */
export function CopyButton({
  text,
  label,
  compact = true,
  iconOnly = false,
}: {
  text: string | (() => string | Promise<string>)
  label: string
  compact?: boolean
  iconOnly?: boolean
}) {
  const t = useTranslations('common')
  const [copied, setCopied] = useState(false)
  async function copy() {
    if (!(await copyText(typeof text === 'string' ? text : await text()))) return
    setCopied(true)
    systemClock.after(1500, () => setCopied(false))
  }
  return (
    <Button
      compact={compact}
      icon={iconOnly}
      aria-label={iconOnly ? label : undefined}
      title={iconOnly ? label : undefined}
      onClick={copy}
    >
      {copied ? <Check size={15} strokeWidth={1.75} /> : <Copy size={15} strokeWidth={1.75} />}
      {iconOnly ? null : copied ? t('copied') : label}
      <span className="visually-hidden" aria-live="polite">
        {copied ? t('copied') : ''}
      </span>
    </Button>
  )
}
