import { useMemo } from 'react'
import type { AgentDetail } from '../../../../contract/endpoints/agent.ts'
import { starterText } from './starter-text.ts'

const MAX_PROMPTS = 4

export interface StarterPromptsProps {
  readonly tools: AgentDetail['tools']
  /** Receives the text of the chosen prompt. */
  readonly choose: (text: string) => void
}

/** Messages to begin with, one for each of the first tools. */
export function StarterPrompts({ tools, choose }: StarterPromptsProps) {
  const prompts = useMemo(() => starterPrompts(tools), [tools])
  if (prompts.length === 0) return null
  return (
    <ul aria-label="Starter prompts" className="flex flex-wrap gap-2 pt-3">
      {prompts.map(({ tool, text }) => (
        <li key={tool} className="max-w-full">
          <button
            type="button"
            data-tooltip={`Uses ${tool}`}
            onClick={() => choose(text)}
            className="max-w-full truncate rounded-md border border-line bg-panel px-3 py-1.5 text-left hover:border-line-strong hover:bg-hover"
          >
            {text}
          </button>
        </li>
      ))}
    </ul>
  )
}

function starterPrompts(tools: AgentDetail['tools']): { readonly tool: string; readonly text: string }[] {
  const byText = new Map<string, string>()
  for (const tool of tools) {
    const text = starterText(tool)
    if (text !== undefined && !byText.has(text)) byText.set(text, tool.name)
  }
  return [...byText].slice(0, MAX_PROMPTS).map(([text, tool]) => ({ tool, text }))
}
