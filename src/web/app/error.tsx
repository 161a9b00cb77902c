'use client'
import { type Broken, BrokenScreen } from '../ui/broken.tsx'

/** Shown where a page of this segment broke; the frame around it stands. `retry` asks the server again, which `reset` does not. */
export default function ErrorPage({ error, retry }: { error: Broken; retry: () => void }) {
  return <BrokenScreen error={error} retry={retry} where="error.tsx" />
}
