import { useMemo } from 'react'
import { Link } from '../../router/link.tsx'
import { agentMessages } from '../../trace/agent-messages.ts'
import { Conversation } from '../../trace/conversation.tsx'
import { useTraceSpans } from '../../trace/use-trace-spans.ts'
import { oneLine } from '../../ui/escape-text.ts'
import { Pending, EmptyState } from '../../ui/state/states.tsx'

const MAX_NAME_CHARS = 200

export interface ChatTabProps {
  readonly traceId: string
  /** Only messages until this time, in milliseconds since the epoch. */
  readonly until: number | undefined
}

/** What the agents of an execution were asked and answered. */
export function ChatTab({ traceId, until }: ChatTabProps) {
  const { spans, isLoading, error, refetch } = useTraceSpans(traceId)
  const agents = useMemo(() => agentMessages(spans ?? [], until), [spans, until])
  if (agents.length === 0 && (isLoading || error !== undefined))
    return <Pending error={error} retry={refetch} />
  if (agents.length === 0)
    return (
      <EmptyState
        title={until === undefined ? 'No agent was called' : 'No agent was called until this moment'}
      />
    )
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto p-4">
      {agents.map(({ spanId, agent, step, messages, isAnswering }) => (
        <section key={spanId} className="max-w-3xl">
          <h2 className="flex flex-wrap items-baseline gap-x-3 pb-1 font-semibold">
            {oneLine(agent, MAX_NAME_CHARS)}
            <span className="break-all font-mono text-sm font-normal text-dim">{step}</span>
            <Link to={`traces/${traceId}?span=${spanId}`} className="text-sm font-normal text-accent">
              Span
            </Link>
          </h2>
          {messages.length > 0 ? (
            <Conversation messages={messages} />
          ) : (
            <p className="text-dim">Its messages were not recorded: set observability.captureContent.</p>
          )}
          {isAnswering && <p className="pt-1 text-dim">Answering…</p>}
        </section>
      ))}
    </div>
  )
}
