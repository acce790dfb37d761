import type * as Ai from 'ai'
import type { Agent } from '../../../agent/agent.ts'
import { blockedAnswer } from '../../../agent/guardrails/blocked-answer.ts'
import { blockedStream } from '../../../agent/guardrails/blocked-stream.ts'
import type { BlockSignal } from '../../../agent/guardrails/guardrail.ts'
import type { AgentCall } from '../agent-call.ts'
import { newRow } from './new-row.ts'
import { newRun } from './new-run.ts'
import { modelOfBlocked } from './pass-input.ts'
import { APPROVALS, type StartedRun, type StartRunDeps } from './run-deps.ts'

interface BlockedDeps extends StartRunDeps {
  readonly ai: typeof Ai
  readonly blocked: BlockSignal
}

/** Records a request that a guardrail blocked, without its input. */
export async function startBlocked(agent: Agent, call: AgentCall, deps: BlockedDeps): Promise<StartedRun> {
  const { store, span, ai, blocked } = deps
  const model = modelOfBlocked(agent, deps)
  const row = {
    ...newRow(agent, call, { ...deps, model: `${model.provider}/${model.modelId}` }),
    input: JSON.stringify(null),
    options: null,
  }
  await store.agentRuns.insert(row)
  const run = newRun(row, call.signal, deps)
  const generated = blockedAnswer({ reason: blocked.reason, usage: [], model })
  return {
    run,
    row,
    span,
    generate: async () => generated,
    stream: async () => blockedStream(generated, ai, run.signal),
    facts: { ...NO_FACTS, options: call.options ?? {}, user: call.user ?? null },
  }
}

const NO_FACTS = {
  prompt: '',
  sent: [],
  exchange: null,
  schema: null,
  waits: APPROVALS,
  road: null,
  span: null,
} as const
