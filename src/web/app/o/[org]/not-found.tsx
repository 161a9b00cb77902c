import { NotFoundScreen } from '../../../ui/not-found-screen.tsx'

/** Not found inside an organization's shell. */
export default function NotFoundPage() {
  return <NotFoundScreen />
}
