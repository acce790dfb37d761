import { type ScriptedModel, scriptedModel } from '../../../src/testing/scripted-model.ts'

type Answer = string | { readonly tool: string; readonly input: unknown }

const usage = { inputTokens: 10, cachedInputTokens: 4, outputTokens: 5, reasoningTokens: 2 }

/** A model that returns these responses, repeats the last one, and uses the same number of tokens each time. */
export function scripted(...script: readonly Answer[]): ScriptedModel {
  const turns = script.map((answer) =>
    typeof answer === 'string'
      ? { text: answer, usage }
      : { toolCalls: [{ toolName: answer.tool, input: answer.input }], usage },
  )
  return scriptedModel(turns, { repeatLast: true })
}
