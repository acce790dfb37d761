import { useEffect, Component } from 'react'
import type { ReactNode } from 'react'
import { unreachable } from '../api/request-failure.ts'
import { useLiveState } from '../live/use-topic.ts'
import { Link } from '../router/link.tsx'
import { useLocation } from '../router/use-location.ts'
import { restoreView } from '../router/view-memory.ts'
import { useServices } from '../services/services-context.tsx'
import { areaOf } from '../shell/areas.ts'
import { isModalOpen } from '../keys/key-bindings.ts'
import { PageHeader } from '../ui/layout/page-header.tsx'
import { ErrorState } from '../ui/state/error-view.tsx'

/**
 * The screen of the current URL. On navigation the focus moves to its heading, and it is scrolled to the top; Back and
 * Forward restore both. A dialog that was opened while the screen loaded keeps the focus.
 */
export function CurrentScreen() {
  const { router } = useServices()
  const { screen: Screen, params, visit, isReturn, failure, path, opening = false } = useLocation()
  useEffect(() => {
    if (opening) return undefined
    const heading = document.querySelector<HTMLElement>('main h1')
    if (!isReturn) document.querySelector('main')?.scrollTo(0, 0)
    // the first page keeps the focus where the browser put it
    if (visit > 1 && !isModalOpen()) heading?.focus({ preventScroll: true })
    return isReturn ? restoreView(router.views.current) : undefined
  }, [router, visit, isReturn, opening])
  if (failure !== undefined)
    return (
      <>
        <PageHeader title={areaOf(path)?.name ?? 'Console'} />
        <CodeFailure failure={failure} />
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

/** The code of the screen could not be loaded. It loads by itself when the server is back (`PageBuild`). */
function CodeFailure({ failure }: { readonly failure: unknown }) {
  const isLost = useLiveState() === 'lost'
  const error = isLost
    ? unreachable(failure)
    : new Error('The code of this page could not be loaded', { cause: failure })
  return <ErrorState error={error} retry={() => location.reload()} />
}

function NotFound({ path }: { readonly path: string }) {
  return (
    <>
      <PageHeader title="Page not found" />
      <p className="p-4 text-dim">
        There is no page <code className="font-mono">{path}</code>. <Link to="">Go to Home</Link>.
      </p>
    </>
  )
}

interface State {
  readonly error: unknown
}

/** Error boundary of a screen: the shell keeps working when a screen throws. */
class ScreenBoundary extends Component<{ readonly children: ReactNode }, State> {
  override state: State = { error: undefined }

  static getDerivedStateFromError(error: unknown): State {
    return { error }
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === undefined) return this.props.children
    return <ErrorState error={error} retry={() => this.setState({ error: undefined })} />
  }
}
