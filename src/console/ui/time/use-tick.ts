import { useEffect, useState } from 'react'
import { serverClock } from './server-clock.ts'

/** The current time of the server, updated every `ms` milliseconds; fixed without them. */
export function useTick(ms: number | undefined): number {
  const [now, setNow] = useState(() => serverClock.now())
  useEffect(() => {
    if (ms === undefined) return undefined
    const timer = setInterval(() => setNow(serverClock.now()), ms)
    return () => clearInterval(timer)
  }, [ms])
  return now
}
