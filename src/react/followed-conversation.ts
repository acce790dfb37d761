import type { ApiClient } from '../client/api.ts'
import type { UiMessage } from '../contract/endpoints/agents/conversation.ts'
import { LiveStore, asError } from './live-store.ts'

/** A conversation as it is now. */
export interface ConversationView {
  /** The newest messages, oldest first, each with the `parts` of a `UIMessage` of the AI SDK. */
  readonly messages: readonly UiMessage[]
  /** `loading`: the stored messages are being read. `answering`: the agent answers. */
  readonly status: 'loading' | 'ready' | 'answering'
  /** Why the messages can't be read, or the last answer failed. */
  readonly error: Error | undefined
}

export const NO_CONVERSATION: ConversationView = { messages: [], status: 'loading', error: undefined }

interface ConversationRef {
  readonly agentId: string
  readonly conversationId: string
  readonly userId: string | undefined
}

/** The stored messages of a conversation, and the answer that is being streamed. */
export class FollowedConversation extends LiveStore<ConversationView> {
  readonly #client: ApiClient
  readonly #ref: ConversationRef
  #answer: AbortController | undefined

  constructor(client: ApiClient, ref: ConversationRef) {
    super(NO_CONVERSATION)
    this.#client = client
    this.#ref = ref
  }

  protected override async stream(signal: AbortSignal): Promise<void> {
    // an answer that streams has begun after these messages
    if (!this.#answer) await this.#load(signal)
  }

  /** Sends a message and streams the answer. An answer that fails leaves what is stored, with `error`. */
  async send(input: string): Promise<void> {
    if (this.#answer) throw new Error('The agent answers already: call stop() first')
    const answer = new AbortController()
    this.#answer = answer
    const before = [...this.get().messages, message('user', input)]
    this.set({ messages: before, status: 'answering', error: undefined })
    let text = ''
    try {
      const { agentId, conversationId, userId } = this.#ref
      const options = { conversationId, ...(userId !== undefined && { userId }) }
      const call = { params: { id: agentId }, body: { input, options }, signal: answer.signal }
      for await (const part of this.#client.streamText(call)) {
        if (part.type === 'error') throw new Error(part.error)
        if (part.type !== 'text-delta') continue
        text += part.text
        this.set({ messages: [...before, message('assistant', text)] })
      }
      this.#answer = undefined
      await this.#load()
    } catch (error) {
      this.#answer = undefined
      await this.#load()
      if (!answer.signal.aborted) this.set({ error: asError(error) })
    }
  }

  /** Ends the answer. */
  readonly stop = (): void => this.#answer?.abort()

  async #load(signal?: AbortSignal): Promise<void> {
    const { agentId: id, conversationId, userId } = this.#ref
    try {
      const query = userId === undefined ? {} : { userId }
      const call = { params: { id, conversationId }, query, ...(signal && { signal }) }
      const messages = await this.#client.listMessages(call)
      if (!this.#answer) this.set({ messages, status: 'ready', error: undefined })
    } catch (error) {
      if (signal?.aborted !== true) this.set({ status: 'ready', error: asError(error) })
    }
  }
}

function message(role: UiMessage['role'], text: string): UiMessage {
  return { id: `new-${role}`, role, parts: [{ type: 'text', text }] }
}
