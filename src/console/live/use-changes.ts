import { useTopic } from './use-topic.ts'

/** Calls `changed` with whatever a live topic tells, and when it may have told something that was missed. */
export function useChanges(topic: string, changed: () => unknown): void {
  useTopic(topic, { onFrame: () => void changed(), onResync: () => void changed() })
}
