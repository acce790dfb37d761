import { useCallback, useMemo, useState, useSyncExternalStore } from 'react'
import type { AgentDetail } from '../../../../contract/endpoints/agent.ts'
import { useServices } from '../../../services/services-context.tsx'
import { curlCode } from '../../../code/curl-code.ts'
import { credentialFor } from '../../../code/request-code.ts'
import { useUrlState } from '../../../router/use-url-state.ts'
import { useCopyKeys } from '../../../keys/use-copy-keys.ts'
import { useKeys } from '../../../keys/use-keys.ts'
import { ErrorState } from '../../../ui/state/error-state.tsx'
import { EmptyState, Loading } from '../../../ui/state/states.tsx'
import { ChatLog } from './chat-log.tsx'
import { newId, textOf } from './session/chat-message.ts'
import type { ChatSessions } from './session/chat-sessions.ts'
import { Composer } from './composer.tsx'
import { ConversationBar } from './conversation-bar.tsx'
import { ConversationList } from './conversation-list.tsx'
import { useConversations } from './session/use-conversations.ts'
import { useChatOptions } from './use-chat-options.ts'
import type { RecentRuns } from './session/use-recent-runs.ts'

const STATE = { conversation: '', user: '' }

export interface ChatTabProps {
  readonly agent: AgentDetail
  readonly sessions: ChatSessions
  readonly recent: RecentRuns
}

/** A conversation with an agent, and the list of conversations. */
export function ChatTab({ agent, sessions, recent }: ChatTabProps) {
  const { api, credentials, queries, router } = useServices()
  const [{ conversation, user }, setUrl] = useUrlState(STATE)
  const [draft, setDraft] = useState(newId)
  const id = conversation === '' ? draft : conversation
  const userId = user === '' ? undefined : user
  const session = sessions.of(id, { remembers: agent.memory, fresh: conversation === '', userId })
  const { messages, isBusy, isLoading, loadError } = useSyncExternalStore(session.subscribe, session.state)
  const chatOptions = useChatOptions()
  const { options } = chatOptions
  const [search, setSearch] = useState('')
  const listed = useConversations(agent, recent, search)
  const chosen = listed.conversations.find(
    (one) => one.id === conversation && (userId === undefined || one.userId === userId),
  )
  const runs = useMemo(() => new Map(recent.runs.map((run) => [run.id, run])), [recent.runs])
  const begin = () => {
    setDraft(newId())
    void router.navigate(`agents/${encodeURIComponent(agent.id)}`)
    document.querySelector<HTMLElement>('main textarea[aria-label="Message"]')?.focus()
  }
  const refetch = () => {
    void queries.invalidateQueries({ queryKey: ['listAllConversations', agent.id] })
    void queries.invalidateQueries({ queryKey: ['listAgentHistory', agent.id] })
  }
  const onDeleted = () => {
    if (chosen) sessions.forget(chosen)
    refetch()
    begin()
  }
  const send = (text: string) => {
    session.send(text, options)
    setUrl({ conversation: id })
  }
  const edit = useCallback((at: string, text: string) => session.edit(at, text, options), [session, options])
  const regenerate = useCallback((at: string) => session.regenerate(at, options), [session, options])
  const reload = useCallback(() => void session.load(), [session])
  useKeys([{ keys: 'n', label: 'New conversation', group: 'Chat', run: begin }])
  useCopyKeys('Chat', () => {
    const question = messages.findLast(({ role }) => role === 'user')
    const url = api.urlOf('streamText', { params: { id: agent.id } })
    const body = JSON.stringify({
      input: question ? textOf(question) : '',
      options: { ...options, conversationId: id },
    })
    return curlCode({ method: 'POST', url, body, credential: credentialFor(credentials, 'token') })
  })
  return (
    <div className="flex min-h-0 flex-1 max-sm:flex-col">
      <ConversationList
        agentId={agent.id}
        {...listed}
        chosen={chosen}
        search={search}
        setSearch={setSearch}
        begin={begin}
      />
      <section aria-label="Conversation" className="flex min-h-0 min-w-0 flex-1 flex-col">
        <ConversationBar
          agent={agent}
          conversation={chosen}
          userId={options.userId ?? chosen?.userId ?? userId}
          renamed={refetch}
          deleted={onDeleted}
        />
        {isLoading ? (
          <Loading what="Loading conversation" />
        ) : loadError !== undefined ? (
          <ErrorState error={loadError} retry={() => void session.load()} />
        ) : messages.length === 0 ? (
          <div
            className="min-h-0 flex-1 overflow-auto outline-offset-[-2px]"
            tabIndex={0}
            role="group"
            aria-label="Messages"
          >
            <EmptyChat agent={agent} />
          </div>
        ) : (
          <ChatLog
            messages={messages}
            agentId={agent.id}
            agentName={agent.name}
            isBusy={isBusy}
            edit={edit}
            regenerate={regenerate}
            onDecided={reload}
            runs={runs}
          />
        )}
        {agent.served && (
          <Composer key={id} isBusy={isBusy} send={send} stop={() => session.stop()} options={chatOptions} />
        )}
      </section>
    </div>
  )
}

function EmptyChat({ agent }: { readonly agent: AgentDetail }) {
  if (!agent.served)
    return (
      <EmptyState title="This agent is internal" code="export default defineConfig({ agents: [agent] })">
        Only workflow steps and other agents can call it. Add it to the configuration to chat with it:
      </EmptyState>
    )
  return (
    <EmptyState title={`Chat with ${agent.name}`}>
      <p>{agent.description}</p>
      <p className="pt-1">
        {agent.memory
          ? 'The server stores the conversation.'
          : 'The agent has no memory: each request contains the whole conversation.'}
      </p>
    </EmptyState>
  )
}
