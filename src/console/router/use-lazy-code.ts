import { useEffect, useEffectEvent, useState } from 'react'

export interface LazyCode<T> {
  /** Undefined until it is loaded. */
  readonly code: T | undefined
  readonly error: unknown
}

/** Code that is loaded after the screen is rendered, so that the heading does not wait for it. */
export function useLazyCode<T extends object>(load: () => Promise<T>): LazyCode<T> {
  const [later, setLater] = useState<LazyCode<T>>({ code: undefined, error: undefined })
  const start = useEffectEvent(load)
  useEffect(() => {
    let unmounted = false
    const show = (found: LazyCode<T>) => {
      if (!unmounted) setLater(found)
    }
    start().then(
      (code) => show({ code, error: undefined }),
      (error: unknown) => show({ code: undefined, error }),
    )
    return () => {
      unmounted = true
    }
  }, [])
  return later
}
