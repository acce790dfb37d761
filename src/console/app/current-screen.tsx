import { useEffect } from 'react'
import { areaOf } from '../shell/areas.ts'
import { useLocation } from '../router/use-location.ts'
import { ErrorState } from '../ui/state/error-state.tsx'
import { PageHeader } from '../ui/layout/page-header.tsx'
import { Link } from '../router/link.tsx'
import { ScreenBoundary } from './screen-boundary.tsx'

/** The screen of the address. A new one gets the focus on its heading, and starts at its top. */
export function CurrentScreen() {
  const { screen: Screen, params, visit, failure, path, opening } = useLocation()
  useEffect(() => {
    const heading = document.querySelector<HTMLElement>('main h1')
    document.querySelector('main')?.scrollTo(0, 0)
    // the first page takes no focus away from where the browser put it
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
  if (!Screen) return <NoSuchScreen path={path} />
  return (
    <ScreenBoundary key={path}>
      <Screen params={params} />
    </ScreenBoundary>
  )
}

function NoSuchScreen({ path }: { readonly path: string }) {
  return (
    <>
      <PageHeader title="Nothing here" />
      <p className="p-4 text-dim">
        The console has no page <code className="font-mono">{path}</code>.{' '}
        <Link to="executions">See the executions</Link>.
      </p>
    </>
  )
}
