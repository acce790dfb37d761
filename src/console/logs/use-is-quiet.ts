import { useEffect, useState } from 'react'

/** So long nothing must come for the next one to be read out. */
const QUIET_MS = 2000

/** Whether little comes: only then is it read out to whoever listens. */
export function useIsQuiet(count: number): boolean {
  const [quiet, setQuiet] = useState(count)
  useEffect(() => {
    const timer = setTimeout(() => setQuiet(count), QUIET_MS)
    return () => clearTimeout(timer)
  }, [count])
  return count - quiet < 5
}
