import { MissingScreen } from '../../../ui/missing.tsx'

/** Not found inside an organization's shell. */
export default function NotFoundPage() {
  return <MissingScreen />
}
