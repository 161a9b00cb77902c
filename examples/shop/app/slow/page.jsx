export const dynamic = 'force-dynamic'

export default async function SlowPage() {
  await new Promise((resolve) => setTimeout(resolve, 5000))
  return <p>At last.</p>
}
