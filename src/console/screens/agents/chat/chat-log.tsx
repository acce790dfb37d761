import { Button } from '../../../ui/controls/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { useStickToEnd } from '../../../ui/table/use-stick-to-end.ts'
import type { ChatMessage, Run } from './session/chat-message.ts'
import type { ApprovalResponse } from './session/chat-session.ts'
import { ChatMessageView } from './chat-message-view.tsx'

export interface ChatLogProps {
  readonly messages: readonly ChatMessage[]
  readonly agentId: string
  readonly agentName: string
  readonly isBusy: boolean
  readonly edit: (id: string, text: string) => void
  readonly regenerate: (id: string) => void
  /** Decides about a call of a run; rejects if that is refused. */
  readonly decide: (runId: string, response: ApprovalResponse) => Promise<void>
  /** The runs of the history, by id. */
  readonly runs: ReadonlyMap<string, Run>
}

/** The messages. The log follows new ones until the user scrolls up. */
export function ChatLog(props: ChatLogProps) {
  const { messages, agentId, agentName, isBusy, edit, regenerate, decide, runs } = props
  const { ref, isAway, toEnd } = useStickToEnd<HTMLDivElement>(messages)
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <div
        ref={ref}
        role="log"
        aria-label="Messages"
        aria-busy={isBusy}
        tabIndex={0}
        className="min-h-0 flex-1 overflow-y-auto px-4 py-3 outline-offset-[-2px]"
      >
        <div className="mx-auto flex max-w-4xl flex-col gap-4">
          {messages.map((message) => (
            <ChatMessageView
              key={`${message.role} ${message.key ?? message.id}`}
              message={message}
              agentId={agentId}
              agentName={agentName}
              canChange={!isBusy}
              edit={edit}
              regenerate={regenerate}
              decide={decide}
              traceId={runs.get(message.id)?.traceId}
              reason={runs.get(message.id)?.error}
            />
          ))}
        </div>
      </div>
      {isAway && (
        <div className="absolute inset-x-0 bottom-2 flex justify-center">
          <Button size="small" onClick={toEnd}>
            <Icon name="down" /> {isBusy ? 'Follow response' : 'Jump to end'}
          </Button>
        </div>
      )}
    </div>
  )
}
