import { Differs } from './differs.jsx'

export const dynamic = 'force-dynamic'

export default async function HydrationPage({ params }) {
  const { kind } = await params
  return (
    <>
      <Differs kind={kind} />
      <a href="/">Back to the shop</a>
    </>
  )
}
