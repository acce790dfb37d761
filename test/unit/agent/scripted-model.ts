import type { LanguageModelV3, LanguageModelV3CallOptions } from '@ai-sdk/provider'

type Answer = string | { readonly tool: string; readonly input: unknown }

const doStream = () => Promise.reject(new Error('not streamed'))

/** A model that gives the answers of a script, and keeps what it was asked. */
export function scripted(
  ...script: Answer[]
): LanguageModelV3 & { readonly calls: LanguageModelV3CallOptions[] } {
  const calls: LanguageModelV3CallOptions[] = []
  const doGenerate: LanguageModelV3['doGenerate'] = async (call) => {
    calls.push(call)
    const next = script[calls.length - 1] ?? script.at(-1) ?? ''
    const reason = typeof next === 'string' ? 'stop' : 'tool-calls'
    return {
      content: [
        typeof next === 'string'
          ? { type: 'text', text: next }
          : {
              type: 'tool-call',
              toolCallId: `c${calls.length}`,
              toolName: next.tool,
              input: JSON.stringify(next.input),
            },
      ],
      finishReason: { unified: reason, raw: reason },
      usage: {
        inputTokens: { total: 10, noCache: 6, cacheRead: 4, cacheWrite: 0 },
        outputTokens: { total: 5, text: 3, reasoning: 2 },
      },
      warnings: [],
    }
  }
  return {
    specificationVersion: 'v3',
    provider: 'script',
    modelId: 's1',
    supportedUrls: {},
    calls,
    doGenerate,
    doStream,
  }
}
