'use client'
import { useState } from 'react'
import { buttonClass } from '../forms/controls.tsx'
import { copyText } from './clipboard.ts'

/** A copy button without translations, for screens that must work when everything else is broken. */
export function CopyPlain({ text }: { text: string }) {
  const [copied, setCopied] = useState(false)
  return (
    <button
      type="button"
      className={buttonClass({ compact: true })}
      onClick={async () => setCopied(await copyText(text))}
    >
      {copied ? 'Copied' : 'Copy'}
    </button>
  )
}
