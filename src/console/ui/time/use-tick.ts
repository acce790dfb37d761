import { useEffect, useState } from 'react'

/** The current time, updated every `ms` milliseconds; fixed without them. */
export function useTick(ms: number | undefined): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (ms === undefined) return undefined
    const timer = setInterval(() => setNow(Date.now()), ms)
    return () => clearInterval(timer)
  }, [ms])
  return now
}
