import type { Agent } from '../../../src/agent/agent.ts'
import { generate as generateAnswer, type Generated } from '../../../src/agent/answer/generate.ts'
import type { GenerateOptions } from '../../../src/agent/answer/prepare-call.ts'
import {
  type AnswerStream,
  streamAnswer as streamGenerated,
} from '../../../src/agent/answer/stream-answer.ts'
import { chooseModels } from '../../../src/agent/models/model-choice.ts'
import { resolveAgent, type ResolvedAgent } from '../../../src/agent/resolve-agent.ts'
import type { Environment } from '../../../src/agent/models/model-provider.ts'
import { secretsIn } from '../../../src/lib/redact/known-secrets.ts'
import { textRedactor } from '../../../src/lib/redact/redact-text.ts'

export interface TestCall extends Omit<
  GenerateOptions,
  'models' | 'env' | 'projectDir' | 'redact' | 'callSubAgent'
> {
  readonly env?: Environment
  readonly production?: boolean
  readonly projectDir?: string
}

/** Chooses the model and calls sub-agents like the engine, but without records. */
export async function generate(agent: Agent, call: TestCall): Promise<Generated> {
  const resolved = await resolve(agent, call)
  return generateAnswer(resolved, optionsOf(resolved, call))
}

export async function streamAnswer(agent: Agent, call: TestCall): Promise<AnswerStream> {
  const resolved = await resolve(agent, call)
  return streamGenerated(resolved, optionsOf(resolved, call))
}

function resolve(agent: Agent, call: TestCall): Promise<ResolvedAgent> {
  const { user, context = {}, conversationId, prompt: input, signal = new AbortController().signal } = call
  return resolveAgent(agent, { user, context, conversationId, input }, signal)
}

function optionsOf(agent: ResolvedAgent, call: TestCall): GenerateOptions {
  const { env = {}, production = false, projectDir = process.cwd(), ...options } = call
  const { settings: _1, messages: _2, schema: _3, onUsage: _4, onModelCall: _5, calls: _6, ...shared } = call
  return {
    ...options,
    env,
    projectDir,
    redact: textRedactor(secretsIn(env)),
    models: chooseModels(agent.models, { env, production }),
    callSubAgent: (subAgent, request) => generate(subAgent, { ...shared, ...request }),
  }
}
