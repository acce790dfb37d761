import { isFinal } from '../../../src/contract/is-final.ts'
import type { EventRow, ExecutionRow, ExecutionWrite, StepRow } from '../../../src/store/execution-store.ts'

/** The row of a running execution, with the values of the test. */
export function executionRow(row: Partial<ExecutionRow> & { id: string }): ExecutionRow {
  return {
    workflowId: 'order',
    workflowName: 'Order',
    status: 'running',
    ownerEpoch: 1,
    createdAt: 1000,
    updatedAt: 1000,
    endedAt: null,
    userId: null,
    conversationId: null,
    parentId: null,
    user: null,
    definitionHash: 'hash',
    traceId: 'trace',
    spanId: 'span',
    input: '{}',
    context: '{}',
    output: null,
    error: null,
    suspension: null,
    suspendRequest: null,
    forkedFrom: null,
    owner: null,
    resumedUser: null,
    pauseAt: null,
    metadata: null,
    compensation: null,
    acceptedChanges: null,
    timesOutAt: null,
    failure: null,
    scheduleId: null,
    kind: 'workflow' as const,
    ...row,
  }
}

export function stepRow(row: Partial<StepRow> & { path: string }): StepRow {
  return {
    stepId: row.path,
    name: row.path,
    type: 'andThen',
    position: 0,
    status: 'running',
    input: '{}',
    output: null,
    error: null,
    attempts: 1,
    failures: 0,
    resumes: 0,
    crashes: 0,
    suspected: 0,
    trial: null,
    exempt: false,
    suspendData: null,
    resumeData: null,
    timedOut: false,
    wakeAt: null,
    startedAt: 1000,
    endedAt: null,
    childId: null,
    items: null,
    event: null,
    eventKey: null,
    eventId: null,
    completion: null,
    isAnswerCall: false,
    ...row,
  }
}

export function eventRow(seq: number, workflowLevel = false): EventRow {
  return { seq, data: JSON.stringify({ type: workflowLevel ? 'workflow-start' : 'step-start', seq }) }
}

/** A write that creates an execution. With a final status, it ended when it was created by default. */
export function insertion(row: Partial<ExecutionRow> & { id: string }): ExecutionWrite {
  const made = executionRow(row)
  const endedAt = made.endedAt ?? (isFinal(made.status) ? made.createdAt : null)
  return { id: row.id, insert: { ...made, endedAt } }
}
