import { useState } from 'react'
import type { ListedApproval } from '../../../contract/endpoints/agents/pending-approvals.ts'
import { ApprovalPanel } from '../../approvals/approval-panel.tsx'
import { shortJson } from '../../json/short-json.ts'
import { Link } from '../../router/link.tsx'
import { useDiscard } from '../../ui/dialog/use-discard.tsx'
import { Button } from '../../ui/controls/button.tsx'
import { StatusBadge } from '../../ui/state/status-badge.tsx'
import { DeclaredName } from '../../names/declared-name.tsx'
import { Time } from '../../ui/time/time.tsx'

export interface ApprovalRowProps {
  readonly approval: ListedApproval
  /** Whether it is decided, and only keeps its place: its actions do nothing. */
  readonly isGone: boolean
}

/** A tool call of an agent run that waits for a decision. */
export function ApprovalRow({ approval, isGone }: ApprovalRowProps) {
  const [isOpen, setOpen] = useState(false)
  const [isEdited, setEdited] = useState(false)
  const { requestDiscard, question } = useDiscard(isEdited, () => setOpen(!isOpen))
  const { runAgentId: agentId, runId, toolName, kind, message, input, createdAt } = approval
  const text = kind === 'elicitation' ? `${toolName}: ${message ?? ''}` : `${toolName} ${shortJson(input)}`
  return (
    <li
      className={`border-b border-line py-1 ${isGone ? 'opacity-60' : ''}`}
      inert={isGone}
      aria-hidden={isGone}
    >
      <div className="flex min-h-7 flex-wrap items-center gap-x-3">
        <span className="w-24 shrink-0">
          {isGone ? <StatusBadge status="ok" text="Decided" /> : <StatusBadge status="suspended" />}
        </span>
        <Link
          to={`agents/${encodeURIComponent(agentId)}?tab=history&run=${encodeURIComponent(runId)}`}
          className="max-w-40 shrink-0 truncate text-accent hover:underline"
        >
          <DeclaredName kind="agent" id={agentId} />
        </Link>
        <span className="min-w-24 flex-1 truncate" title={text}>
          {text}
        </span>
        <span className="shrink-0 text-sm text-dim">
          <Time at={createdAt} />
        </span>
        <Button size="small" kind={isOpen ? 'plain' : 'primary'} onClick={requestDiscard}>
          {isOpen ? 'Close' : 'Review'}
        </Button>
      </div>
      {isOpen && (
        <div className="py-1">
          <ApprovalPanel approval={approval} run={{ agentId, runId }} onEdited={setEdited} />
          {question}
        </div>
      )}
    </li>
  )
}
