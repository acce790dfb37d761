import type { ApprovedSuspendOptions } from '../../step/step-calls.ts'
import type { CallRecord, RecordedToolCall } from '../answer/journal/recorded-calls.ts'
import { BREAKPOINT, EVERY_STEP } from '../../contract/breakpoints/breakpoint.ts'

/** Whether an answer waits before the calls of a tool. */
export function hasBreakpoint(toolName: string, pauseAt: readonly string[] = []): boolean {
  return pauseAt.includes(toolName) || pauseAt.includes(EVERY_STEP)
}

/** Waits before a call. Resolves to its arguments, which may be edited by the data of the resume, `{ input }`. */
export async function waitAtBreakpoint(
  { toolName, input }: Pick<RecordedToolCall, 'toolName' | 'input'>,
  { step }: CallRecord,
): Promise<unknown> {
  const options: ApprovedSuspendOptions = {
    reason: BREAKPOINT,
    data: { toolName, input: input as never },
    // whose approval was asked for has seen the arguments before they are edited
    approvedBy: 'operators',
    resumeSchema: {
      type: 'object',
      properties: { input: { description: 'Edited arguments', default: input } },
      additionalProperties: false,
    },
  }
  const given = await step.suspend(BREAKPOINT, options)
  return (given as { readonly input?: unknown }).input ?? input
}
