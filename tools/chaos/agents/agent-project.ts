/** How an answer is requested. */
export const ROADS = ['text', 'stream', 'chat', 'flow', 'wait', 'approval', 'team'] as const
export type Delivery = (typeof ROADS)[number]

const WORK = [['work-1'], ['work-2', 'work-3'], ['work-4'], ['work-5'], []]

/** The tools of each answer of the model, for the runs of a delivery; the last one is a text. */
const PLANS: Readonly<Record<Delivery | 'member', readonly (readonly string[])[]>> = {
  text: WORK,
  stream: WORK,
  chat: WORK,
  flow: WORK,
  wait: [['work-1'], ['question'], ['work-2'], []],
  approval: [['work-1'], ['work-2', 'pay'], ['work-3'], []],
  team: [['work-1'], ['ask_member'], ['work-2'], []],
  member: [['work-1'], ['question'], ['work-2', 'work-3'], []],
}

/** What the tool `question` is resumed with. */
export const WORD = 'yes'

/** The run of the sub-agent that a run asks. */
export function memberOf(run: string): string {
  return `${run}.member`
}

/** The run that a client has requested: `run`, or the one that asked it as a sub-agent. */
export function requestedRun(run: string): string {
  return run.replace(/\.member$/, '')
}

/** The run that a text names: `<delivery>-<round>`, with `.member` behind it for the sub-agent. */
export function runIn(text: string): string | undefined {
  return new RegExp(`(?:${ROADS.join('|')})-\\d+(?:\\.member)?`).exec(text)?.[0]
}

/** The tools of each answer of the model of a run. */
export function planOf(run: string): readonly (readonly string[])[] {
  const delivery = requestedRun(run) === run ? run.split('-')[0] : 'member'
  return PLANS[delivery as Delivery]
}

/** The output of each tool that a run calls. */
export function outputsOf(run: string): Map<string, string> {
  const outputs: Readonly<Record<string, () => string>> = {
    question: () => `${run}/question/${WORD}`,
    ask_member: () => textOf(memberOf(run)),
  }
  return new Map(
    planOf(run)
      .flat()
      .map((tool) => [tool, outputs[tool]?.() ?? `${run}/${tool}`]),
  )
}

/** The text that a run ends with. */
export function textOf(run: string): string {
  return textOfOutputs([...outputsOf(run).values()])
}

export function textOfOutputs(outputs: readonly string[]): string {
  return ['Done:', ...outputs.toSorted()].join(' ')
}

/**
 * The project that is killed. Its tools note the begin and the end of what they do in the file `notes.log`. The agent `kept`
 * has every tool: the model decides by the delivery of the run.
 */
export const AGENT_FILES = {
  'agentserver.config.ts': `
    import { appendFileSync } from 'node:fs'
    import { setTimeout as wait } from 'node:timers/promises'
    import { createAgent, createTool, createWorkflow, defineConfig } from 'agentserver'
    import { z } from 'zod'

    const note = (what, run, call, key) => appendFileSync('notes.log', [Date.now(), what, run, 'tool:' + call, key].join(' ') + '\\n')
    const work = async (run, call, key) => {
      note('begin', run, call, key)
      await wait(30)
      note('end', run, call, key)
    }
    const tool = (name, more) => createTool({
      name,
      description: 'Returns its name',
      inputSchema: z.object({ run: z.string() }),
      execute: async ({ run }, { idempotencyKey }) => {
        await work(run, name, idempotencyKey)
        return run + '/' + name
      },
      ...more,
    })
    const question = tool('question', {
      execute: async ({ run }, { step }) => {
        await step.run('before', ({ idempotencyKey }) => work(run, 'question.before', idempotencyKey))
        const { word } = await step.suspend('word', { resumeSchema: z.object({ word: z.string() }) })
        await step.run('after', ({ idempotencyKey }) => work(run, 'question.after', idempotencyKey))
        return run + '/question/' + word
      },
    })
    const works = [1, 2, 3, 4, 5].map((n) => tool('work-' + n))
    const common = { name: 'X', instructions: 'x', model: 'openai/test' }
    const member = createAgent({ ...common, id: 'member', description: 'Helps', tools: [...works, question] })
    const kept = createAgent({
      ...common,
      id: 'kept',
      resumable: true,
      tools: [...works, question, tool('pay', { needsApproval: true })],
      subAgents: [member],
    })
    const plain = createAgent({ ...common, id: 'plain', tools: works })
    const flow = createWorkflow({ id: 'flow' })
      .andAgent({ id: 'ask', agent: plain, prompt: ({ data }) => data.run })
      .andThen({ id: 'text', execute: ({ data }) => data.text })
    export default defineConfig({ agents: [kept, plain, member], workflows: [flow] })
  `,
}
