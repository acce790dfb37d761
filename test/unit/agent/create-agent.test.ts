import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../../../src/agent/create-agent.ts'
import { demoModel } from '../../../src/agent/models/demo/demo-model.ts'
import { createTool } from '../../../src/agent/tools/create-tool.ts'

const lookupConfig = {
  name: 'lookup',
  description: 'Looks up',
  inputSchema: z.object({ id: z.string() }),
  execute: ({ id }: { id: string }) => id,
}
const lookup = createTool(lookupConfig)
const basics = { id: 'support', name: 'Support', instructions: 'Help.' }
const problemsOf = (config: object) => createAgent(Object.assign({ ...basics }, config)).problems

describe('createAgent', () => {
  test('applies the defaults', () => {
    expect(createAgent(basics)).toMatchObject({
      ...basics,
      tools: [],
      subAgents: [],
      maxSteps: 8,
      problems: [],
    })
  })

  test('keeps the settings of its model calls, and reports those that are not valid', () => {
    const settings = { temperature: 0.2, maxOutputTokens: 500, providerOptions: { openai: { store: false } } }
    expect(createAgent({ ...basics, ...settings })).toMatchObject({ settings, problems: [] })
    expect(problemsOf({ temperature: 'hot', topP: 2 })).toEqual([
      'temperature: Invalid input: expected number, received string; topP: Too big: expected number to be <=1',
    ])
  })

  test('returns an immutable value', () => {
    const tools = [lookup]
    const agent = createAgent({ ...basics, tools })
    tools.push(lookup)
    expect(agent.tools).toEqual([lookup])
    expect(() => Object.assign(agent, { id: 'x' })).toThrow(TypeError)
    expect(() => Object.assign(agent.tools, [1])).toThrow(TypeError)
  })

  test('accepts a model object, a model name, or none', () => {
    for (const model of [demoModel(), 'openai/gpt-4.1', 'ollama/library/llama3:8b', undefined]) {
      expect(problemsOf({ model })).toEqual([])
    }
  })

  test.each([
    [{ id: 'my agent' }, 'the id must be'],
    [{ id: undefined }, 'the id must be'],
    [{ name: '' }, 'a name is required'],
    [{ instructions: undefined }, 'instructions are required'],
    [{ maxSteps: 0 }, 'maxSteps must be a whole number of 1 or more'],
    [{ model: 'gpt-4' }, '"gpt-4" must have the form "provider/model". Did you mean "openai/gpt-4"?'],
    [{ model: 'o3' }, 'Did you mean "openai/o3"?'],
    [{ model: 'claude-haiku-4-5' }, 'Did you mean "anthropic/claude-haiku-4-5"?'],
    [{ model: 'gemini-2.5-flash' }, 'Did you mean "google/gemini-2.5-flash"?'],
    [{ model: 'llama3.2' }, 'with one of the providers openai, anthropic, google, ollama'],
    [{ temprature: 1 }, 'unknown option "temprature". Did you mean "temperature"?'],
    [{ model: 'acme/gpt-4' }, '"acme/gpt-4" names an unknown provider; known ones are openai, anthropic'],
    [{ model: { id: 1 } }, 'model must be a model of the AI SDK'],
    [{ memory: { contextLimit: -1 } }, 'memory.contextLimit must be a whole number of 0 or more'],
    [{ tools: {} }, 'tools must be an array'],
    [{ tools: [lookup, { name: 'x' }] }, 'tools[1] must be made by createTool()'],
    [{ tools: [lookup, lookup] }, 'two tools are named "lookup"'],
    [{ subAgents: [basics] }, 'subAgents[0] must be made by createAgent()'],
    [{ hooks: { onStart: 'log' } }, 'hooks.onStart must be a function'],
  ])('%j has the problem %s', (config, rule) => {
    expect(problemsOf(config)).toEqual([expect.stringContaining(rule)])
  })

  test('may be a copy of another agent, with members that are no options', () => {
    expect(problemsOf(createAgent({ ...basics, id: 'other' }))).toEqual([])
  })

  test('includes the problems of its tools and sub-agents', () => {
    const tool = createTool({ ...lookupConfig, name: 'ask_helper', description: '' })
    const helper = createAgent({ id: 'helper', name: 'Helper', instructions: '' })
    expect(problemsOf({ tools: [tool], subAgents: [helper] })).toEqual([
      'tool ask_helper: a description is required: models choose tools by it',
      'sub-agent helper: instructions are required',
      'two tools are named "ask_helper"',
    ])
  })
})
