import { callTool } from '../agent/tools/call-tool.ts'
import type { Agent } from '../agent/agent.ts'
import type { Tool } from '../agent/tools/tool.ts'
import { unheard } from '../agent/tools/tool-reports.ts'
import { DURATION_RULE, parseDuration } from '../lib/duration.ts'
import type { Schema } from '../lib/schema/schema.ts'
import type { EventDefinition } from '../step/define-event.ts'
import { declaredEvent, isDeclared } from '../step/event-to-send.ts'
import type { EventToSend } from '../step/event-to-send.ts'
import { currentServer } from '../calls/current-server.ts'
import type { StepDefinition, StepRuntime, TypedWorkflow } from './definition.ts'
import type {
  CallOptions,
  EventCallOptions,
  StepCalls,
  ApprovedSuspendOptions,
  WorkflowCallOptions,
} from '../step/step-calls.ts'
import type { StepContext } from './step-context.ts'
import { SuspendTimeoutError } from '../step/step-errors.ts'
import { defineStep, functionProblem, withoutUndefined } from './step.ts'
import { andAgent } from './steps/and-agent.ts'
import { andSleep } from './steps/and-sleep.ts'
import { andSleepUntil } from './steps/and-sleep-until.ts'
import { andThen } from './steps/and-then.ts'
import { andWaitForEvent } from './steps/and-wait-for-event.ts'
import { andWorkflow } from './steps/and-workflow.ts'

/** Makes a call: runs the step, unless its outcome is recorded. `data` is the input in its record. */
export type MakeCall = (step: StepDefinition, data?: unknown) => Promise<never>

/** Each call is a step that is declared when it is made. */
export function stepCalls(make: MakeCall, unrecorded: Pick<StepCalls, 'metadata'>): StepCalls {
  return {
    ...unrecorded,
    run: (id, fn, options = {}) => {
      const { name, was, retries, timeoutMs, outputSchema, compensate } = options
      const execute = fn as unknown as (context: StepContext) => never
      const given = withoutUndefined({
        name,
        was,
        retries,
        timeoutMs,
        outputSchema,
        compensate: compensate as never,
      })
      return make(andThen({ ...given, id, execute }))
    },
    sleep: (id, duration, options) => make(andSleep({ ...options, id, for: duration })),
    sleepUntil: (id, time, options) => make(andSleepUntil({ ...options, id, until: time })),
    suspend: (id, options = {}) => make(suspendStep(id, options), options.data),
    waitForEvent: (id, { key, ...options }) =>
      make(andWaitForEvent({ ...options, id, ...(key !== undefined && { key: () => key }) })),
    agent: (id, agent, { prompt, name, was, schema, retries, timeoutMs }) =>
      make(
        andAgent<unknown, unknown, Schema, never>({
          ...withoutUndefined({ name, was, schema, retries, timeoutMs }),
          id,
          agent: agent as Agent,
          prompt,
          map: ({ result: { text, object, finishReason, usage } }) =>
            ({ text, object, finishReason, usage }) as never,
        }),
        prompt,
      ),
    tool: (id, tool, input, options = {}) =>
      make(
        andThen({
          ...options,
          id,
          execute: ({
            signal,
            context,
            userId,
            user,
            conversationId,
            logger,
            idempotencyKey,
            step,
          }: StepContext) =>
            callTool(tool as Tool, input, {
              signal,
              context,
              userId,
              user,
              conversationId,
              logger,
              idempotencyKey,
              step,
              write: unheard,
            }) as never,
        }),
        input,
      ),
    workflow: (id, workflow, input, options) =>
      make(
        andWorkflow<unknown, unknown, unknown, unknown>({
          ...(options as WorkflowCallOptions | undefined),
          id,
          workflow: workflow as TypedWorkflow<unknown, unknown>,
          input: () => input,
        }),
        input,
      ),
    sendEvent: (
      id: string,
      event: Omit<EventToSend, 'id'> | EventDefinition,
      given?: unknown,
      more: EventCallOptions = {},
    ) => {
      const { name, was } = isDeclared(event) ? more : ((given ?? {}) as CallOptions)
      return make(
        andThen({
          ...withoutUndefined({ name, was }),
          id,
          execute: async ({ idempotencyKey }: StepContext) => {
            const { key } = more
            const checked = isDeclared(event) ? await declaredEvent(event, given, { key }) : event
            const sent = await currentServer('step.sendEvent()').sendEvent({ ...checked, id: idempotencyKey })
            return sent.resumed.length + sent.started.length
          },
        }),
        isDeclared(event) ? { ...withoutUndefined({ key: more.key }), name: event.name, data: given } : event,
      )
    },
  }
}

function suspendStep(id: string, options: ApprovedSuspendOptions): StepDefinition {
  const {
    name,
    was,
    reason,
    data,
    suspendSchema,
    resumeSchema,
    timeout,
    onTimeout = 'fail',
    notify,
    approvedBy,
  } = options
  const wait = (runtime: StepRuntime) => (context: StepContext) => {
    if (runtime.resumes === 0) {
      const suspend = () => context.suspend(reason ?? `resume of "${id}"`, data as never)
      const url = notify && runtime.resumeUrl(parseDuration(timeout))
      if (!notify || url === undefined) return suspend()
      return Promise.resolve(notify({ url, step: context.step })).then(suspend)
    }
    if (!context.timedOut) return context.resumeData ?? null
    if (onTimeout === 'continue') return { timedOut: true }
    throw new SuspendTimeoutError(id, timeout ?? 0)
  }
  return defineStep(
    'andThen',
    { ...withoutUndefined({ name, was, suspendSchema, resumeSchema, suspendTimeout: timeout }), id },
    {
      maySuspend: true,
      ...(approvedBy && { approvedBy }),
      problems: [
        onTimeout === 'continue' || onTimeout === 'fail'
          ? undefined
          : `onTimeout must be 'continue' or 'fail'`,
        timeout === undefined || parseDuration(timeout) !== undefined
          ? undefined
          : `timeout must be ${DURATION_RULE}`,
        notify === undefined ? undefined : functionProblem('notify', notify),
      ],
      run: (runtime) => runtime.invoke(wait(runtime)),
    },
  )
}
