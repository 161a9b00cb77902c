import Cart from '../../cart.jsx'

export default function Page() {
  return <Cart />
}
