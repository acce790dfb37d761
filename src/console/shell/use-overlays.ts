import { useEffect, useState } from 'react'
import type * as overlays from './overlays.ts'

export type Overlays = typeof overlays

const REST_MS = 300

/**
 * The code of what lies over the page. It comes at once when it is `wanted`, else a little after the first
 * screen: it has to be there also when the server is gone.
 */
export function useOverlays(wanted: boolean): Overlays | undefined {
  const [loaded, setLoaded] = useState<Overlays>()
  const waiting = loaded === undefined
  useEffect(() => {
    if (!waiting) return undefined
    let current = true
    const load = () => void import('./overlays.ts').then((found) => current && setLoaded(found), ignore)
    const timer = setTimeout(load, wanted ? 0 : REST_MS)
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [waiting, wanted])
  return loaded
}

/** A server that is not there: it is asked again when they are next wanted. */
function ignore(): void {
  return undefined
}
