export const dynamic = 'force-dynamic'

export default async function LookupPage({ params }) {
  const { id } = await params
  throw new Error(`user ${id} not found`)
}
