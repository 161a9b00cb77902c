import './shop.css'

export const metadata = { title: 'Shop' }

export default function Layout({ children }) {
  return (
    <html lang="en">
      <body>
        <main>{children}</main>
      </body>
    </html>
  )
}
