import { MissingScreen } from '../ui/missing.tsx'

/** Status 404, also for what the person may not see. */
export default function NotFoundPage() {
  return (
    <main>
      <MissingScreen />
    </main>
  )
}
