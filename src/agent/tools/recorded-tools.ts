import type { StepCalls } from '../../step/step-calls.ts'

/** What a recorded tool call gets. */
export interface CallRecord {
  /** The recorded calls of its `execute`. */
  readonly step: StepCalls
  /** Those of the tools of the sub-agent that it asks. */
  readonly nested: RecordedTools
}

/** The tool calls of an answer that has a record: their functions make recorded calls, and wait. */
export interface RecordedTools {
  /** Makes a call. Does not settle when it waits: then the answer ends here, and the call is made again when it goes on. */
  make<Result>(
    call: { readonly toolCallId: string; readonly toolName: string; readonly input: unknown },
    body: (record: CallRecord) => Promise<Result>,
  ): Promise<Result>
}
