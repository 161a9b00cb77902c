'use client'
import { type Broken, BrokenScreen } from '../../../ui/broken.tsx'

/** Shown where a page of this segment broke; the frame around it stands. */
export default function ErrorPage({ error, reset }: { error: Broken; reset: () => void }) {
  return <BrokenScreen error={error} retry={reset} where="error.tsx" />
}
