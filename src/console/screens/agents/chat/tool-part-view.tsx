import { JsonView } from '../../../json/json-view.tsx'
import { shortJson } from '../../../json/parse-json.ts'
import { Link } from '../../../router/link.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { StatusBadge } from '../../../ui/state/status-badge.tsx'
import type { ToolPart } from './session/chat-message.ts'

const STATUSES = {
  'input-streaming': 'running',
  'input-available': 'running',
  'output-available': 'completed',
  'output-error': 'error',
} as const

export interface ToolPartViewProps {
  readonly part: ToolPart
  /** Whether the answer is complete. */
  readonly isFinal: boolean
  /** Whether the call waits for a decision. */
  readonly waits: boolean
}

/** A tool call with its input and result, collapsed at first. */
export function ToolPartView({ part, isFinal, waits }: ToolPartViewProps) {
  const { agentId, toolName, state, input, inputText, output, errorText } = part
  const isUnfinished = isFinal && (state === 'input-streaming' || state === 'input-available')
  return (
    <details className="group/tool rounded-md border border-line bg-panel">
      <summary className="flex items-center gap-2 px-2 py-1">
        <Icon name="right" className="text-dim group-open/tool:rotate-90" />
        <span className="sr-only">Tool</span>
        {agentId !== undefined && <span className="text-sm text-dim">{agentId}</span>}
        <span className="max-w-64 shrink-0 truncate font-mono text-sm">{toolName}</span>
        <span className="min-w-0 flex-1 truncate font-mono text-sm text-dim">
          {input === undefined ? inputText?.slice(-200) : shortJson(input)}
        </span>
        <StatusBadge status={waits ? 'suspended' : isUnfinished ? 'cancelled' : STATUSES[state]} />
      </summary>
      <div className="flex flex-col gap-2 border-t border-line px-2 py-2">
        <h4 className="text-sm text-dim">Input</h4>
        {input === undefined ? (
          <pre className="whitespace-pre-wrap break-words font-mono text-sm">{inputText ?? ''}</pre>
        ) : (
          <JsonView value={input} label={`Input of ${toolName}`} open={3} />
        )}
        {output !== undefined && (
          <>
            <h4 className="text-sm text-dim">Result</h4>
            <JsonView value={output} label={`Result of ${toolName}`} open={3} />
          </>
        )}
        {state === 'output-error' && (
          <>
            <h4 className="text-sm text-dim">Error</h4>
            <p className="whitespace-pre-wrap break-words font-mono text-sm text-error">{errorText}</p>
          </>
        )}
        <p className="text-sm">
          <Link to={`tools/${encodeURIComponent(toolName)}`}>Open tool</Link>
        </p>
      </div>
    </details>
  )
}
