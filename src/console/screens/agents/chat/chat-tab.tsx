import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import type { AgentDetail } from '../../../../contract/endpoints/agent.ts'
import { useServices } from '../../../services/services-context.tsx'
import { curlCode, credentialFor } from '../../../code/request-code.ts'
import { useUrlState } from '../../../router/use-url-state.ts'
import { useCopyKeys, useKeys } from '../../../keys/use-keys.ts'
import { ErrorState } from '../../../ui/state/error-view.tsx'
import { EmptyState, Loading } from '../../../ui/state/states.tsx'
import { ChatLog } from './chat-log.tsx'
import { ApiError } from '../../../../client/api-error.ts'
import type { ApprovalResponse, ChatSessions } from './session/chat-session.ts'
import { newId, textOf } from './session/chat-message.ts'
import { Composer } from './composer.tsx'
import { ConversationBar } from './conversation-bar.tsx'
import { ConversationList } from './conversation-list.tsx'
import { useConversations } from './session/use-conversations.ts'
import type { Conversation } from './session/conversations.ts'
import { useModelSettings } from '../../../form/model-settings.tsx'
import { ConversationDialog } from './conversation-dialog.tsx'
import type { OpenDialog } from './conversation-dialog.tsx'
import type { RecentRuns } from './session/use-conversations.ts'
import { starterText } from './starter-text.ts'

const MAX_PROMPTS = 4

interface StarterPromptsProps {
  readonly agent: AgentDetail
  /** Receives the text of the chosen prompt. */
  readonly choose: (text: string) => void
}

/** Messages to begin with: the examples of the agent, or one for each of the first tools. */
function StarterPrompts({ agent, choose }: StarterPromptsProps) {
  const prompts = useMemo(() => starterPrompts(agent), [agent])
  if (prompts.length === 0) return null
  return (
    <ul aria-label="Starter prompts" className="flex flex-wrap gap-2 pt-3">
      {prompts.map(({ tool, text }) => (
        <li key={text} className="max-w-full">
          <button
            type="button"
            data-tooltip={tool && `Uses ${tool}`}
            onClick={() => choose(text)}
            className="max-w-full truncate rounded-md border border-line bg-panel px-3 py-1.5 text-left hover:border-line-strong hover:bg-hover"
          >
            {text}
          </button>
        </li>
      ))}
    </ul>
  )
}

interface StarterPrompt {
  readonly text: string
  /** The tool that the message is made from. */
  readonly tool?: string
}

function starterPrompts({ examples = [], tools }: AgentDetail): StarterPrompt[] {
  if (examples.length > 0) return [...new Set(examples)].map((text) => ({ text }))
  const byText = new Map<string, string>()
  for (const tool of tools) {
    const text = starterText(tool)
    if (text !== undefined && !byText.has(text)) byText.set(text, tool.name)
  }
  return [...byText].slice(0, MAX_PROMPTS).map(([text, tool]) => ({ tool, text }))
}

const STATE = { conversation: '', user: '' }

interface ChatTabProps {
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
  const settings = useModelSettings()
  const [search, setSearch] = useState('')
  const all = useConversations(agent, recent)
  const found = useConversations(agent, recent, search)
  const isChosen = (one: Conversation) =>
    one.id === conversation && (userId === undefined || one.userId === userId)
  const chosen = found.conversations.find(isChosen) ?? all.conversations.find(isChosen)
  const [dialog, setDialog] = useState<OpenDialog>()
  const field = useRef<HTMLTextAreaElement>(null)
  const runs = useMemo(() => new Map(recent.runs.map((run) => [run.id, run])), [recent.runs])
  const begin = () => {
    setDraft(newId())
    void router.navigate(`agents/${encodeURIComponent(agent.id)}`)
    field.current?.focus()
  }
  const refetch = () => {
    void queries.invalidateQueries({ queryKey: ['listAllConversations', agent.id] })
    void queries.invalidateQueries({ queryKey: ['listAgentHistory', agent.id] })
  }
  const onDeleted = (deleted: Conversation) => {
    sessions.forget(deleted)
    refetch()
    if (isChosen(deleted)) begin()
  }
  const send = (text: string) =>
    settings.submit((options) => {
      session.send(text, options)
      session.draft.set('')
      setUrl({ conversation: id })
    })
  const submit = useRef(settings.submit)
  useLayoutEffect(() => {
    submit.current = settings.submit
  })
  const edit = useCallback(
    (at: string, text: string) => submit.current((options) => session.edit(at, text, options)),
    [session],
  )
  const regenerate = useCallback(
    (at: string) => submit.current((options) => session.regenerate(at, options)),
    [session],
  )
  const decide = useCallback(
    (runId: string, response: ApprovalResponse, wait?: string) =>
      session.decide(runId, response, wait).catch((error: unknown) => {
        // decided elsewhere: the history knows how
        if (isConflict(error)) void session.load()
        throw error
      }),
    [session],
  )
  useEffect(() => session.notice(recent.runs), [session, recent.runs])
  const choose = (text: string) => {
    session.draft.set(text)
    field.current?.focus()
  }
  useKeys([{ keys: 'n', label: 'New conversation', group: 'Chat', run: begin }])
  useCopyKeys('Chat', () => {
    const question = messages.findLast(({ role }) => role === 'user')
    const url = api.urlOf('streamText', { params: { id: agent.id } })
    const body = JSON.stringify({
      input: question ? textOf(question) : '',
      options: { ...settings.value, conversationId: id },
    })
    return curlCode({ method: 'POST', url, body, credential: credentialFor(credentials, 'token') })
  })
  return (
    <div className="flex min-h-0 flex-1 max-sm:flex-col">
      <ConversationList
        agentId={agent.id}
        {...found}
        chosen={chosen}
        open={setDialog}
        search={search}
        setSearch={setSearch}
        begin={begin}
      />
      <section aria-label="Conversation" className="flex min-h-0 min-w-0 flex-1 flex-col">
        <ConversationBar
          agent={agent}
          conversation={chosen}
          userId={settings.value.userId ?? chosen?.userId ?? userId}
          open={setDialog}
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
            <EmptyChat agent={agent} choose={choose} />
          </div>
        ) : (
          <ChatLog
            messages={messages}
            agentId={agent.id}
            agentName={agent.name}
            isBusy={isBusy}
            edit={edit}
            regenerate={regenerate}
            decide={decide}
            runs={runs}
          />
        )}
        {agent.served && (
          <Composer
            draft={session.draft}
            isBusy={isBusy}
            send={send}
            stop={() => session.stop()}
            settings={settings}
            field={field}
          />
        )}
      </section>
      {dialog && (
        <ConversationDialog
          {...dialog}
          agentId={agent.id}
          renamed={refetch}
          deleted={onDeleted}
          close={() => setDialog(undefined)}
        />
      )}
    </div>
  )
}

function isConflict(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 409)
}

interface EmptyChatProps {
  readonly agent: AgentDetail
  /** Receives the chosen prompt. */
  readonly choose: (text: string) => void
}

function EmptyChat({ agent, choose }: EmptyChatProps) {
  if (!agent.served)
    return (
      <EmptyState title="This agent is internal" code="export default defineConfig({ agents: [agent] })">
        Only workflow steps and other agents can call it. Add it to the configuration to chat with it:
      </EmptyState>
    )
  return (
    <EmptyState title={`Chat with ${agent.name}`} code={`npx agentserver chat ${agent.id}`}>
      <p>{agent.description}</p>
      <p className="pt-1">
        {agent.memory
          ? 'The server stores the conversation.'
          : 'The agent has no memory: each request contains the whole conversation.'}
      </p>
      <StarterPrompts agent={agent} choose={choose} />
    </EmptyState>
  )
}
