import type { ApprovalResponse, ClientToolOutput } from '../../../agent/answer/waiting/resumed-answer.ts'
import type { Decision } from '../../../contract/access/decision.ts'
import type { DecidedCall } from '../../../contract/endpoints/agents/approvals.ts'
import { decodeStored } from '../../record/values.ts'

/** A response to a call that a run waited for. */
export type CallResponse = ApprovalResponse | ClientToolOutput

/** Who responded, as whom, and over which interface. */
export type DecidedBy = Pick<DecidedCall, 'decidedBy' | 'decidedAs' | 'decidedOver'>

export function decidedBy({ userId, by, over }: Decision): DecidedBy {
  return { ...(userId !== undefined && { decidedBy: userId }), decidedAs: by, decidedOver: over }
}

/** A response with who gave it, as it is stored. */
export function recordedDecision(response: CallResponse, decision: Decision): string {
  return JSON.stringify({ response, ...decidedBy(decision) })
}

/** The stored response, and who gave it. Those of earlier versions are the response alone. */
export function readDecision(text: string): { readonly response: CallResponse; readonly by: DecidedBy } {
  const stored = decodeStored<{ readonly response?: CallResponse } & DecidedBy>(text, {})
  const { response = stored as unknown as CallResponse, ...by } = stored
  return { response, by: response === (stored as unknown) ? {} : by }
}
