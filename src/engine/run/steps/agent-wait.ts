import type { PendingCalls } from '../../../agent/answer/waiting/pending-calls.ts'
import type { PendingResponses } from '../../../agent/answer/waiting/resumed-answer.ts'
import type { JsonSchema } from '../../../lib/schema/schema.ts'
import type { Resumed, SuspendedExecution, SuspendRequest } from '../step-task.ts'
import type { StepAnswer, WaitedAnswer } from '../run-context.ts'

/** The suspension of a step whose agent waits for approvals or for outputs of the client's tools. */
export function agentSuspension(
  { runId, steps, timeoutMs }: StepAnswer,
  { approvals, toolCalls }: PendingCalls,
): SuspendRequest {
  const data = {
    ...(approvals.length > 0 && { approvals }),
    ...(toolCalls.length > 0 && { toolCalls }),
  }
  return {
    reason: reasonOf({ approvals, toolCalls }),
    data: JSON.stringify(data),
    resumeSchema: responsesSchema({ approvals, toolCalls }),
    run: { id: runId, steps: steps.length },
    timeoutMs,
  }
}

/** The answer that waits with a suspended step, of its request as JSON text. */
export function suspendedExecution(suspendData: string | null): SuspendedExecution | undefined {
  return suspendData === null ? undefined : (JSON.parse(suspendData) as SuspendRequest).run
}

/** The answer that a step continues with; `undefined` if it did not wait with one. */
export function waitedAnswer({ run, data, timedOut }: Resumed): WaitedAnswer | undefined {
  if (!run) return undefined
  if (timedOut || data === null) return { ...run, responses: undefined }
  const { approvals = [], toolOutputs = [] } = JSON.parse(data) as Partial<PendingResponses>
  return { ...run, responses: { approvals, toolOutputs } }
}

type Calls = Pick<PendingCalls, 'approvals' | 'toolCalls'>

function reasonOf({ approvals, toolCalls }: Calls): string {
  const names = (calls: readonly { readonly toolName: string }[]) =>
    [...new Set(calls.map(({ toolName }) => toolName))].join(', ')
  return [
    ...(approvals.length > 0 ? [`approval of ${names(approvals)}`] : []),
    ...(toolCalls.length > 0 ? [`output of ${names(toolCalls)}`] : []),
  ].join(', ')
}

/** The JSON Schema of the responses: one for each call. */
function responsesSchema({ approvals, toolCalls }: Calls): JsonSchema {
  const approval = {
    approvalId: { type: 'string', enum: approvals.map(({ approvalId }) => approvalId) },
    approved: { type: 'boolean' },
    input: { description: 'Edited arguments, or the data of a form' },
    reason: { type: 'string', description: 'Of a denial, for the model' },
  }
  const output = {
    toolCallId: { type: 'string', enum: [...new Set(toolCalls.map(({ toolCallId }) => toolCallId))] },
    output: { description: 'What the tool returned' },
    errorText: { type: 'string', description: 'Instead of the output, when the tool failed' },
  }
  const properties = {
    ...(approvals.length > 0 && {
      approvals: responsesOf(approval, {
        required: ['approvalId', 'approved'],
        // the entries of a form
        default: approvals.map(({ approvalId }) => ({ approvalId, approved: false })),
      }),
    }),
    ...(toolCalls.length > 0 && {
      toolOutputs: responsesOf(output, {
        required: ['toolCallId'],
        default: toolCalls.map(({ toolCallId }) => ({ toolCallId, output: null })),
      }),
    }),
  }
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}

interface Entries {
  readonly required: readonly string[]
  /** One for each call. */
  readonly default: readonly object[]
}

function responsesOf(properties: object, { required, default: initial }: Entries): JsonSchema {
  const { length } = initial
  const items = { type: 'object', properties, required, additionalProperties: false }
  return { type: 'array', items, minItems: length, maxItems: length, default: initial }
}
