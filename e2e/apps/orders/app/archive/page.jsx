/** Planted fault: a slow route load. Nothing on the server explains the time. */
export default async function Archive() {
  await new Promise((resolve) => setTimeout(resolve, 4200))
  return <p>All orders since 1998</p>
}
