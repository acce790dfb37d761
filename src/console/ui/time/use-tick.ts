import { useEffect, useState } from 'react'

/** The time, which goes on every so many milliseconds; without them it stands still. */
export function useTick(ms: number | undefined): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (ms === undefined) return undefined
    const timer = setInterval(() => setNow(Date.now()), ms)
    return () => clearInterval(timer)
  }, [ms])
  return now
}
