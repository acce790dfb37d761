import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import { useServices } from '../services/services-context.tsx'
import type { LiveState, TopicListener } from './live-connection.ts'
import { useThrottled } from './use-throttled.ts'

/**
 * Subscribes to a live topic while the component is mounted; `undefined` subscribes to none. `after` is the sequence
 * number of the last known frame; without it only new frames are sent.
 */
export function useTopic(topic: string | undefined, listener: TopicListener, after?: number): void {
  const { live } = useServices()
  const onFrame = useEffectEvent((frame: Parameters<NonNullable<TopicListener['onFrame']>>[0]) =>
    listener.onFrame?.(frame),
  )
  const onResync = useEffectEvent(() => listener.onResync?.())
  const lastKnown = useEffectEvent(() => after)
  useEffect(() => {
    if (topic === undefined) return undefined
    return live.listen(topic, { onFrame: (frame) => onFrame(frame), onResync: () => onResync() }, lastKnown())
  }, [live, topic])
}

/** The state of the live connection. */
export function useLiveState(): LiveState {
  const { live } = useServices()
  return useSyncExternalStore(live.watch, live.state)
}

/**
 * Calls `changed` for the frames of a live topic, and when frames may have been missed: at most every `everyMs`
 * milliseconds, and always after the last one.
 */
export function useChanges(topic: string | undefined, changed: () => unknown, everyMs = 0): void {
  const report = useThrottled(() => void changed(), everyMs)
  useTopic(topic, { onFrame: report, onResync: report })
}
