import { useEffect, useEffectEvent, useState } from 'react'

export interface LazyCode<T> {
  /** Undefined until it has come. */
  readonly code: T | undefined
  readonly error: unknown
}

/** Code that is fetched when the screen stands, so that its heading waits for none of it. */
export function useLazyCode<T extends object>(load: () => Promise<T>): LazyCode<T> {
  const [later, setLater] = useState<LazyCode<T>>({ code: undefined, error: undefined })
  const start = useEffectEvent(load)
  useEffect(() => {
    let gone = false
    const show = (found: LazyCode<T>) => {
      if (!gone) setLater(found)
    }
    start().then(
      (code) => show({ code, error: undefined }),
      (error: unknown) => show({ code: undefined, error }),
    )
    return () => {
      gone = true
    }
  }, [])
  return later
}
