import { useEffect, useState } from 'react'
import type * as overlays from './overlays.ts'

export type Overlays = typeof overlays

const REST_MS = 300

/**
 * The code of the overlays. It is loaded immediately when `wanted`, else shortly after the first screen, so that it
 * is available when the server is down.
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

/** The server is unreachable: loading is retried when an overlay is wanted. */
function ignore(): void {
  return undefined
}
