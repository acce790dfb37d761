export default function Page() {
  return <p>My app</p>
}
