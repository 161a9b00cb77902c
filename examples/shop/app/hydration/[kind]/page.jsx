import { Differs } from './differs.jsx'

export const dynamic = 'force-dynamic'

export default async function HydrationPage({ params }) {
  return <Differs kind={(await params).kind} />
}
