import { useEffect } from 'react'
import { areaOf } from '../shell/areas.ts'
import { useLocation } from '../router/use-location.ts'
import { ErrorState } from '../ui/state/error-state.tsx'
import { PageHeader } from '../ui/layout/page-header.tsx'
import { Link } from '../router/link.tsx'
import { ScreenBoundary } from './screen-boundary.tsx'

/** The screen of the current URL. On navigation the focus moves to its heading, and it is scrolled to the top. */
export function CurrentScreen() {
  const { screen: Screen, params, visit, failure, path, opening } = useLocation()
  useEffect(() => {
    const heading = document.querySelector<HTMLElement>('main h1')
    document.querySelector('main')?.scrollTo(0, 0)
    // the first page keeps the focus where the browser put it
    if (visit > 1) heading?.focus({ preventScroll: true })
  }, [visit])
  if (failure !== undefined)
    return (
      <>
        <PageHeader title={areaOf(path)?.name ?? 'Console'} />
        <ErrorState error={failure} retry={() => location.reload()} />
      </>
    )
  if (opening) return <PageHeader title={areaOf(path)?.name ?? 'Console'} opening />
  if (!Screen) return <NotFound path={path} />
  return (
    <ScreenBoundary key={path}>
      <Screen params={params} />
    </ScreenBoundary>
  )
}

function NotFound({ path }: { readonly path: string }) {
  return (
    <>
      <PageHeader title="Page not found" />
      <p className="p-4 text-dim">
        There is no page <code className="font-mono">{path}</code>. <Link to="">Go to the overview</Link>.
      </p>
    </>
  )
}
