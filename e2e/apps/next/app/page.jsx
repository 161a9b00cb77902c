import { Buy } from './buy.jsx'

export default function Page() {
  return <Buy />
}
