import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import { useServices } from '../services/services-context.tsx'
import type { LiveState } from './live-connection.ts'
import type { TopicListener } from './live-topic.ts'

/**
 * Listens to a live topic while the component is there; `undefined` listens to none. `after` is the number of the
 * newest frame that is known already; without it there are those to come.
 */
export function useTopic(topic: string | undefined, listener: TopicListener, after?: number): void {
  const { live } = useServices()
  const onFrame = useEffectEvent((frame: Parameters<NonNullable<TopicListener['onFrame']>>[0]) =>
    listener.onFrame?.(frame),
  )
  const onResync = useEffectEvent(() => listener.onResync?.())
  const known = useEffectEvent(() => after)
  useEffect(() => {
    if (topic === undefined) return undefined
    return live.listen(topic, { onFrame: (frame) => onFrame(frame), onResync: () => onResync() }, known())
  }, [live, topic])
}

/** How the live connection stands. */
export function useLiveState(): LiveState {
  const { live } = useServices()
  return useSyncExternalStore(live.watch, live.state)
}
