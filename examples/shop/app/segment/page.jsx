export const dynamic = 'force-dynamic'

export default function SegmentPage() {
  throw new Error('the price list is empty')
}
