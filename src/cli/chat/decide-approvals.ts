import type { ToolApproval } from '../../contract/agent-event.ts'
import type { PendingCall } from '../../contract/pending-call.ts'
import type { CallOf } from '../../client/call.ts'
import type { Endpoints } from '../../contract/index.ts'
import { messageOf } from '../../lib/errors.ts'
import { oneLine } from '../print/terminal.ts'
import type { Terminal } from '../print/terminal.ts'
import type { Ask } from './ask.ts'
import { fillForm } from './fill-form.ts'
import type { WaitingRun } from './print-response.ts'

export type CallDecision = CallOf<Endpoints['respondToRun']>['body']['approvals'][number] & {
  /** The path of the wait that it is the data for. */
  readonly wait?: string
}

/**
 * Prompts for a decision about each call that waits for approval: yes, no, or other arguments; and for the data of forms.
 * `undefined`, after a note on how to decide later, when the user leaves one open.
 */
export async function decideApprovals(
  run: WaitingRun,
  agentId: string,
  { ask, terminal }: { readonly ask: Ask; readonly terminal: Terminal },
): Promise<CallDecision[] | undefined> {
  const decisions: CallDecision[] = []
  for (const approval of run.approvals) {
    const decision = await (approval.kind === 'elicitation' ? fillIn : decide)(approval, ask, terminal)
    if (!decision) {
      noteWaiting(run, agentId, terminal)
      return undefined
    }
    // one wait is resumed at a time: others may be over by then
    if (approval.wait !== undefined) return [{ ...decision, wait: approval.wait.path }]
    decisions.push(decision)
  }
  return decisions
}

/** Prints how the calls that a run waits for can be decided later. */
export function noteWaiting({ approvals, runId }: WaitingRun, agentId: string, terminal: Terminal): void {
  for (const { toolName, kind } of approvals)
    terminal.note(`${oneLine(toolName)} waits for ${kind === 'elicitation' ? 'a form' : 'approval'}`)
  const [{ wait } = {}] = approvals
  const way = wait === undefined ? 'approvals' : 'resume'
  const later = wait === undefined ? approvalsBody(approvals) : { stepId: wait.path, resumeData: {} }
  terminal.note(
    `Decide later in the console under "Needs you", or with POST /agents/${agentId}/runs/${runId}/${way} ${oneLine(JSON.stringify(later))}`,
  )
}

function approvalsBody(approvals: WaitingRun['approvals']) {
  return {
    approvals: approvals.map(({ approvalId, kind }) => ({
      approvalId,
      approved: true,
      ...(kind === 'elicitation' && { input: {} }),
    })),
  }
}

async function decide(
  { approvalId, toolName, input }: ToolApproval,
  ask: Ask,
  terminal: Terminal,
): Promise<CallDecision | undefined> {
  const call = `${oneLine(toolName)} ${oneLine(JSON.stringify(input) ?? '')}`
  for (;;) {
    const answer = (await ask(`Approve ${call}? (y/n/edit)`))?.trim().toLowerCase()
    // nothing was decided
    if (answer === undefined || answer === '') return undefined
    if (answer === 'y' || answer === 'yes') return { approvalId, approved: true }
    if (answer === 'n' || answer === 'no') {
      const reason = (await ask('Reason, for the model (optional):'))?.trim()
      if (reason === undefined) return undefined
      return { approvalId, approved: false, ...(reason !== '' && { reason }) }
    }
    if (answer !== 'e' && answer !== 'edit') continue
    const edited = await ask('Arguments as JSON:')
    if (edited === undefined) return undefined
    try {
      return { approvalId, approved: true, input: JSON.parse(edited) as unknown }
    } catch (error) {
      terminal.note(`Not valid JSON: ${oneLine(messageOf(error))}`)
    }
  }
}

async function fillIn(
  { approvalId, toolName, message = '', schema = {}, wait }: PendingCall,
  ask: Ask,
  terminal: Terminal,
): Promise<CallDecision | undefined> {
  terminal.note(`${oneLine(toolName)}: ${oneLine(message)}`)
  for (;;) {
    const answer = (await ask('Fill in the form? (y/n)'))?.trim().toLowerCase()
    if (answer === undefined || answer === '') return undefined
    // a wait has no other end than its data
    if (answer === 'n' || answer === 'no')
      return wait === undefined ? { approvalId, approved: false } : undefined
    if (answer !== 'y' && answer !== 'yes') continue
    const input = await fillForm(schema, ask, terminal)
    return input && { approvalId, approved: true, input }
  }
}
