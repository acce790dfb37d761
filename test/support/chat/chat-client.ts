import { useChat } from '@ai-sdk/react'
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from 'ai'
import { createElement, StrictMode, useEffect } from 'react'
import { createRoot } from 'react-dom/client'

/** What a chat page is opened with. It is JSON, because pages in browsers get it in their address. */
export interface ChatClientOptions {
  readonly api: string
  readonly id: string
  readonly resume?: boolean
  readonly messages?: UIMessage[]
  /** The output of the client tool `locate`; without it the page leaves the call to `addToolOutput`. */
  readonly location?: unknown
}

/** What a person does on the page. */
export type ChatAction =
  | { readonly type: 'send'; readonly text: string }
  /** Sends the messages as they are. */
  | { readonly type: 'submit' }
  | { readonly type: 'regenerate' }
  | { readonly type: 'stop' }
  | {
      readonly type: 'respond'
      readonly id: string
      readonly approved: boolean
      readonly reason?: string
      /** The arguments as the person edited them. */
      readonly input?: unknown
    }
  | {
      readonly type: 'output'
      readonly toolCallId: string
      readonly output?: unknown
      readonly errorText?: string
    }

/** The text of the page's element `#chat`, as JSON. */
export interface ChatState {
  readonly messages: readonly UIMessage[]
  readonly status: string
  readonly error: string | null
  /** The finish reasons of the answers. */
  readonly finished: readonly (string | undefined)[]
}

/** A page with `useChat` as the documentation of the AI SDK shows it: no adapter, all messages with each request. */
function ChatClient({ options, client }: { options: ChatClientOptions; client: ChatClientHandle }) {
  const { api, id, resume = false, messages = [], location } = options
  const chat = useChat({
    id,
    messages,
    resume,
    transport: new DefaultChatTransport({ api, fetch: (url, init) => client.fetch(url, init) }),
    sendAutomaticallyWhen: (state) =>
      lastAssistantMessageIsCompleteWithApprovalResponses(state) ||
      lastAssistantMessageIsCompleteWithToolCalls(state),
    onToolCall: ({ toolCall: { toolName, toolCallId } }) => {
      if (toolName === 'locate' && location !== undefined)
        void chat.addToolOutput({ tool: toolName, toolCallId, output: location })
    },
    onFinish: ({ finishReason }) => void client.finished.push(finishReason),
  })
  useEffect(() => {
    client.mounted((action) => act(chat, action))
  })
  const { status, error } = chat
  const state: ChatState = {
    messages: chat.messages,
    status,
    error: error?.message ?? null,
    finished: client.finished,
  }
  return createElement('pre', { id: 'chat' }, JSON.stringify(state))
}

function act(chat: ReturnType<typeof useChat>, action: ChatAction): void {
  if (action.type === 'send') void chat.sendMessage({ text: action.text })
  else if (action.type === 'submit') void chat.sendMessage()
  else if (action.type === 'regenerate') void chat.regenerate()
  else if (action.type === 'stop') void chat.stop()
  else if (action.type === 'respond') {
    const { id, approved, reason, input } = action
    const edited =
      input === undefined ? {} : { options: { body: { approvals: [{ approvalId: id, approved, input }] } } }
    void chat.addToolApprovalResponse({ id, approved, ...(reason !== undefined && { reason }), ...edited })
  } else {
    const { toolCallId, output, errorText } = action
    if (errorText === undefined) void chat.addToolOutput({ tool: 'locate', toolCallId, output })
    else void chat.addToolOutput({ state: 'output-error', tool: 'locate', toolCallId, errorText })
  }
}

interface ChatClientHandle {
  /** Called when the page can be used, and with each change. */
  readonly mounted: (act: (action: ChatAction) => void) => void
  readonly finished: (string | undefined)[]
  readonly fetch: typeof fetch
}

/** A page that is rendered. */
export interface MountedChat {
  readonly act: (action: ChatAction) => void
  readonly unmount: () => void
}

/** Renders the page into an element, until it can be used. `fetch` is that of the page. */
export function mountChat(
  element: Parameters<typeof createRoot>[0],
  options: ChatClientOptions,
  fetch: ChatClientHandle['fetch'] = globalThis.fetch.bind(globalThis),
): Promise<MountedChat> {
  const root = createRoot(element)
  return new Promise((resolve) => {
    let actNow: (action: ChatAction) => void
    const mounted: ChatClientHandle['mounted'] = (act) => {
      actNow = act
      resolve({ act: (action) => actNow(action), unmount: () => root.unmount() })
    }
    const client: ChatClientHandle = { mounted, finished: [], fetch }
    root.render(createElement(StrictMode, null, createElement(ChatClient, { options, client })))
  })
}
