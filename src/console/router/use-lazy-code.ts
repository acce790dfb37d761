import { useEffect, useEffectEvent, useState } from 'react'

export interface Later<T> {
  /** Undefined until it has come. */
  readonly code: T | undefined
  readonly error: unknown
}

/** Code that is fetched when the screen stands, so that its heading waits for none of it. */
export function useLater<T extends object>(load: () => Promise<T>): Later<T> {
  const [later, setLater] = useState<Later<T>>({ code: undefined, error: undefined })
  const start = useEffectEvent(load)
  useEffect(() => {
    let gone = false
    const show = (found: Later<T>) => {
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
