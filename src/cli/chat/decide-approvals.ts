import type { ToolApproval } from '../../contract/agent-event.ts'
import type { CallOf } from '../../client/call.ts'
import type { Endpoints } from '../../contract/index.ts'
import { messageOf } from '../../lib/errors.ts'
import { oneLine, type Terminal } from '../print/terminal.ts'

export type Decision = CallOf<Endpoints['respondToRun']>['body']['approvals'][number]

/** Prompts for a line of input. */
export type Ask = (question: string) => Promise<string>

/** Prompts for a decision about each call that waits for approval: yes, no, or other arguments. */
export async function decideApprovals(
  approvals: readonly ToolApproval[],
  ask: Ask,
  terminal: Terminal,
): Promise<Decision[]> {
  const decisions: Decision[] = []
  for (const approval of approvals) decisions.push(await decide(approval, ask, terminal))
  return decisions
}

async function decide(
  { approvalId, toolName, input }: ToolApproval,
  ask: Ask,
  terminal: Terminal,
): Promise<Decision> {
  const call = `${oneLine(toolName)} ${oneLine(JSON.stringify(input) ?? '')}`
  for (;;) {
    const answer = (await ask(`Approve ${call}? (y/n/edit)`)).trim().toLowerCase()
    if (answer === 'y' || answer === 'yes') return { approvalId, approved: true }
    // the end of the input is no approval
    if (answer === '' || answer === 'n' || answer === 'no') {
      const reason = answer === '' ? '' : (await ask('Reason, for the model (optional):')).trim()
      return { approvalId, approved: false, ...(reason !== '' && { reason }) }
    }
    if (answer !== 'e' && answer !== 'edit') continue
    const edited = await ask('Arguments as JSON:')
    try {
      return { approvalId, approved: true, input: JSON.parse(edited) as unknown }
    } catch (error) {
      terminal.note(`Not valid JSON: ${oneLine(messageOf(error))}`)
    }
  }
}
