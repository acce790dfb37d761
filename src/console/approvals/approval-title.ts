import type { ListedApproval } from '../../contract/endpoints/agents/pending-approvals.ts'
import { escapeHidden } from '../ui/escape-text.ts'

/** What a tool of an agent asks a person. */
export function approvalTitle({ kind, message, toolName }: ListedApproval): string {
  if (kind !== 'elicitation') return escapeHidden(`Approve ${toolName}?`)
  return escapeHidden(message ?? `${toolName} requests input`)
}
