import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createAgent } from '../../../src/agent/create-agent.ts'
import { createTool } from '../../../src/agent/tools/create-tool.ts'
import { AppError } from '../../../src/lib/errors.ts'
import { scriptedModel } from '../../../src/testing/scripted-model.ts'
import { createWorkflow } from '../../../src/workflow/create-workflow.ts'
import { NonRetryableError } from '../../../src/step/retry.ts'
import type { WorkflowDefinition } from '../../../src/workflow/definition.ts'
import { EngineProcess } from './engine-process.ts'
import type { EngineBackend } from './engine-process.ts'
import type { Kill } from './faulty-store.ts'
import { sleep } from './sample-steps.ts'

const HOUR_MS = 3_600_000
/** What is open at a kill is at most one call of each branch. */
const BRANCHES = 2

/** Kills a process before each commit of an execution, and after each, one commit after the other. */
export function killSuite(name: string, backend: EngineBackend, points: readonly Kill['when'][]): void {
  // oxlint-disable-next-line vitest/valid-title -- the caller names it
  describe(name, () => {
    let process: EngineProcess | undefined
    afterEach(() => process?.dispose())

    /** Runs an execution to its end, through one kill if there is one, and says what it has done. */
    const run = async (workflows: Workflows, executionId: string, kill?: Kill) => {
      const { calls, definitions, hooks } = workflows
      const workflowId = definitions[0]?.id ?? ''
      calls.length = 0
      let current = (process = process?.store.dead === false ? process : await begin(definitions))
      const commits = current.store.commits
      if (kill) current.store.killAt({ ...kill, commit: commits + kill.commit })
      const stored = new Set<string>()
      for (;;) {
        const { store } = current
        const end = await Promise.race([
          drive(current, { executionId, workflowId, hooks }),
          store.died.promise.then(() => 'died' as const),
        ])
        if (end !== 'died') return { calls: [...calls], end, commits: store.commits - commits, stored }
        for (const step of store.completed) stored.add(step)
        calls.push(KILLED)
        process = current = await current.next()
      }
    }
    const begin = (workflows: readonly WorkflowDefinition[]) =>
      EngineProcess.start({ backend, database: 'kills', workflows, options: {} })

    it.each([
      ['calls that run', runningCalls],
      ['calls that wait', waitingCalls],
      ['calls of an agent and a workflow', callsOfOthers],
      ['compensations and hooks', undoneFunction],
    ])('a function with %s does the same after a kill at any commit', async (_, workflows) => {
      const made = workflows()
      const name = made.definitions[0]?.id ?? ''
      const whole = await run(made, name)
      const effects = named(whole.calls, name)
      let kills = 0
      for (let commit = 1; commit <= whole.commits; commit++) {
        for (const when of points) {
          const id = `${name}-${commit}-${when}`
          const { calls, end, stored } = await run(made, id, { commit, when })
          const at = calls.indexOf(KILLED)
          if (at < 0) continue
          kills++
          const all = calls.filter((call) => call !== KILLED)
          const again = calls.slice(at + 1).filter((call) => calls.slice(0, at).includes(call))
          const seen = {
            id,
            end,
            effects: named(all, id),
            repeated: again.filter((call) => stored.has(call)),
            isBounded: again.length <= BRANCHES,
          }
          // only what was not stored as completed is called again, with the key that it had
          expect(seen).toEqual({ id, end: whole.end, effects, repeated: [], isBounded: true })
        }
      }
      // what is recorded in one turn may be one transaction more or less
      expect(kills).toBeGreaterThanOrEqual(whole.commits * points.length * 0.8)
    })
  })
}

const KILLED = 'killed'

/** The calls of an execution and of its children, by names that are the same for each. */
function named(calls: readonly string[], executionId: string): ReadonlySet<string> {
  return new Set(
    calls.map((call) => {
      const [id = '', ...path] = call.split(':')
      return [id === executionId ? 'execution' : 'child', ...path].join(':')
    }),
  )
}

interface Workflows {
  readonly definitions: readonly WorkflowDefinition[]
  /** How many hooks run at the end. */
  readonly hooks: number
  /** What was done: the idempotency keys of effects, in the order of their calls. */
  readonly calls: string[]
}

/** Starts an execution unless it is stored, and gives it all that it waits for, until it ends. */
async function drive(process: EngineProcess, driven: Driven): Promise<unknown> {
  const { executionId, workflowId } = driven
  const { executions } = process.engine
  for (;;) {
    const found = await process.detail(executionId).catch(ifNotFound)
    if (!found) {
      await process.startExecution(workflowId, {}, { executionId }).catch(ifRefused)
      continue
    }
    const { status, suspension, output, error, compensation, hooks = [] } = found
    if (status === 'suspended') {
      const { reason, data, event, key } = suspension ?? {}
      if (event)
        await executions.sendEvent({ name: event, ...(key && { key }), data: 'sent', id: executionId })
      else if (reason === 'sleeping') {
        process.clock.advance(HOUR_MS)
        await process.store.dispatcher.change({
          add: [{ key: `now:${executionId}`, job: { kind: 'wake', id: executionId, sequence: 0 } }],
        })
      } else await process.resume(executionId, answerTo(data)).catch(ifRefused)
    } else if (status !== 'running') {
      const ended = hooks.filter((hook) => hook.status === 'completed').map(({ hook }) => hook)
      if (ended.length === driven.hooks)
        return { status, output, error: error?.message, compensation, hooks: ended.toSorted() }
    }
    await sleep(5)
  }
}

interface Driven {
  readonly executionId: string
  readonly workflowId: string
  readonly hooks: number
}

/** The resume data: approvals of an agent's calls, or a text. */
function answerTo(data: unknown): unknown {
  const { approvals } = (data ?? {}) as { approvals?: readonly { approvalId: string }[] }
  return approvals
    ? { approvals: approvals.map(({ approvalId }) => ({ approvalId, approved: true })) }
    : 'resumed'
}

function ifNotFound(error: unknown): undefined {
  if (error instanceof AppError && error.code === 'not_found') return undefined
  throw error
}

/** What was asked for has happened already, in the process before, or its execution failed. */
function ifRefused(error: unknown): void {
  if (!(error instanceof AppError) || !['conflict', 'execution_failed'].includes(error.code)) throw error
}

/** An effect that notes the idempotency key of each of its calls. */
function noted() {
  const calls: string[] = []
  const effect = ({ idempotencyKey }: { readonly idempotencyKey?: string | undefined }) => {
    calls.push(idempotencyKey ?? 'without a key')
    return 'done'
  }
  return { calls, effect }
}

/** Calls that run: nested, beside each other, in a race, retried, failed for good, of a tool, and of an event. */
function runningCalls(): Workflows {
  const { calls, effect } = noted()
  const look = createTool({
    name: 'look',
    description: 'Looks',
    inputSchema: z.object({}),
    execute: (_, context) => effect(context),
  })
  const flow = createWorkflow({
    id: 'runs',
    run: async ({ step }) => {
      const both = await Promise.all([
        step.run('plain', effect),
        step.run('nesting', async (context) => [await context.step.run('nested', effect), effect(context)]),
      ])
      const caught = await step
        .run('failing', (context) => {
          effect(context)
          throw new NonRetryableError('no')
        })
        .catch(({ name, message }: Error) => `${name}: ${message}`)
      const retried = await step.run(
        'retried',
        (context) => {
          if (context.attempt === 1) throw new Error('again')
          return effect(context)
        },
        { retries: { limit: 3, delayMs: 0 } },
      )
      const first = await Promise.race([step.run('fast', effect), step.sleep('limit', '3h')])
      const seen = await step.tool('look', look, {})
      const told = await step.sendEvent('tell', { name: 'told' })
      return { both, caught, retried, first, seen, told }
    },
  })
  return { definitions: [flow], hooks: 0, calls }
}

/** Calls that wait: for a time, a person and an event, and two beside each other. */
function waitingCalls(): Workflows {
  const { calls, effect } = noted()
  const flow = createWorkflow({
    id: 'waits',
    run: async ({ executionId, step }) => {
      await Promise.all([step.run('before', effect), step.sleep('nap', '1h')])
      await step.sleepUntil('early', '2020-01-01T00:00:00Z')
      const resumed = await step.suspend('ask', {
        resumeSchema: z.string(),
        timeout: '30d',
      })
      const event = await step.waitForEvent('paid', { event: 'paid', key: executionId })
      const last = await step.run('after', effect)
      return { resumed, event, last }
    },
  })
  return { definitions: [flow], hooks: 0, calls }
}

/** Calls of what has a record of its own: an agent whose tool waits for an approval, and a workflow. */
function callsOfOthers(): Workflows {
  const { calls, effect } = noted()
  const refund = createTool({
    name: 'refund',
    description: 'Refunds',
    inputSchema: z.object({}),
    needsApproval: true,
    execute: () => 'refunded',
  })
  const clerk = createAgent({
    id: 'clerk',
    name: 'Clerk',
    instructions: 'Refund',
    tools: [refund],
    model: scriptedModel(
      [
        ({ prompt }) =>
          prompt.some(({ role }) => role === 'tool')
            ? { text: 'Refunded' }
            : { toolCalls: [{ toolName: 'refund', input: {} }] },
      ],
      { repeatLast: true },
    ),
  })
  const child = createWorkflow({ id: 'child' })
    .andThen({ id: 'one', execute: effect })
    .andThen({ id: 'two', execute: ({ data }) => `${data} by the child` })
  const flow = createWorkflow({
    id: 'asks',
    uses: [clerk],
    run: async ({ step }) => {
      const { text } = await step.agent('clerk', clerk, { prompt: 'Hi' })
      const invoice = await step.workflow('invoice', child, {})
      return { text, invoice }
    },
  })
  return { definitions: [flow, child], hooks: 0, calls }
}

/** A function that fails at its end, and is undone. */
function undoneFunction(): Workflows {
  const { calls, effect } = noted()
  const undo = (_: unknown, context: { readonly idempotencyKey: string }) => effect(context)
  const child = createWorkflow({ id: 'child' }).andThen({ id: 'one', execute: effect })
  const undone = createWorkflow({
    id: 'undone',
    onEnd: ({ step }) => step.run('mail', effect),
    onError: ({ step }) => step.run('tell', effect),
    run: async ({ step }) => {
      await step.run('charge', effect, { compensate: undo })
      await Promise.all([
        step.run('hotel', effect, { compensate: undo }),
        step.run('flight', effect, { compensate: undo }),
      ])
      await step.workflow('child', child, {}, { compensate: undo })
      await step.sleep('nap', '1h')
      await step.run('last', (context) => {
        effect(context)
        throw new Error('too late')
      })
    },
  })
  return { definitions: [undone, child], hooks: 2, calls }
}
