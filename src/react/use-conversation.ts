import { useCallback, useMemo, useSyncExternalStore } from 'react'
import { NO_CONVERSATION } from './followed-conversation.ts'
import type { ConversationView } from './followed-conversation.ts'
import { usePageStores } from './provider.ts'

/** Options of `useConversation`. */
export interface UseConversationOptions {
  /** Id of the agent. */
  readonly agentId: string
  /** Id of the conversation. */
  readonly conversationId: string
  /** Id of the user, for a server without an auth provider. */
  readonly userId?: string
}

/** A conversation with an agent. */
export interface ConversationHandle extends ConversationView {
  /** Sends a message and streams the answer into `messages`. Resolves when it has ended; a failure is in `error`. */
  readonly send: (input: string) => Promise<void>
  /** Ends the answer; disconnecting aborts the model call. */
  readonly stop: () => void
}

const empty = () => NO_CONVERSATION

/**
 * Shows a conversation with an agent and continues it. An answer streams on while the component is not mounted.
 *
 * @example
 * const { messages, send, status } = useConversation({ agentId: 'clerk', conversationId: 'c-1' })
 */
export function useConversation({
  agentId,
  conversationId,
  userId,
}: UseConversationOptions): ConversationHandle {
  const store = usePageStores().conversation(agentId, conversationId, userId)
  const state = useSyncExternalStore(store.subscribe, store.get, empty)
  const send = useCallback((input: string) => store.send(input), [store])
  return useMemo(() => ({ ...state, send, stop: store.stop }), [state, send, store])
}
