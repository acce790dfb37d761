import { createAgent, createTool } from 'agentserver'
import { z } from 'zod'

const search = createTool({
  name: 'search',
  description: 'Searches the archive',
  inputSchema: z.object({ query: z.string() }),
  execute: ({ query }) => [`An article about ${query}`],
})

const file = createTool({
  name: 'file-report',
  description: 'Files the finished report',
  inputSchema: z.object({ title: z.string(), text: z.string() }),
  execute: ({ title }) => ({ filed: title }),
})

export const researcher = createAgent({
  id: 'researcher',
  name: 'Researcher',
  instructions: 'Search the archive, then file a report.',
  model: 'openai/gpt-4.1-mini',
  tools: [search, file],
  toolChoice: 'required',
  stopWhen: ({ steps }) =>
    steps.at(-1)?.toolResults.some(({ toolName }) => toolName === 'file-report') ?? false,
  prepareStep: ({ stepNumber, messages }) => {
    if (stepNumber === 0) return { activeTools: ['search'] }
    if (stepNumber >= 5) return { model: 'openai/gpt-4.1', messages: messages.slice(-6) }
    return undefined
  },
})
