import { useEffect, useState } from 'react'

/** Interval in which few lines may be added for the log to be announced. */
const QUIET_MS = 2000

/** Whether few lines are added: only then does the log announce them to screen readers. */
export function useIsQuiet(count: number): boolean {
  const [quiet, setQuiet] = useState(count)
  useEffect(() => {
    const timer = setTimeout(() => setQuiet(count), QUIET_MS)
    return () => clearTimeout(timer)
  }, [count])
  return count - quiet < 5
}
