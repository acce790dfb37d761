import { useTopic } from './use-topic.ts'

/** Calls `changed` for every frame of a live topic, and when frames may have been missed. */
export function useChanges(topic: string, changed: () => unknown): void {
  useTopic(topic, { onFrame: () => void changed(), onResync: () => void changed() })
}
