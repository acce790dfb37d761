import { useEffect, useEffectEvent } from 'react'

/** Calls `refetch` every so often while the page is in view: for what no live topic tells of. */
export function usePolling(refetch: () => unknown, everyMs: number): void {
  const ask = useEffectEvent(() => {
    if (document.visibilityState === 'visible') void refetch()
  })
  useEffect(() => {
    const timer = setInterval(() => ask(), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
}
