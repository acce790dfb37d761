import { Component } from 'react'
import type { ReactNode } from 'react'
import { ErrorState } from '../ui/state/error-state.tsx'

interface State {
  readonly error: unknown
}

/** Error boundary of a screen: the shell keeps working when a screen throws. */
export class ScreenBoundary extends Component<{ readonly children: ReactNode }, State> {
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
