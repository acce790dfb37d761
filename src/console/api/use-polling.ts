import { useEffect, useEffectEvent } from 'react'

/** Calls `refetch` every `everyMs` milliseconds while the page is visible, for data without a live topic. */
export function usePolling(refetch: () => unknown, everyMs: number): void {
  const poll = useEffectEvent(() => {
    if (document.visibilityState === 'visible') void refetch()
  })
  useEffect(() => {
    const timer = setInterval(() => poll(), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
}
