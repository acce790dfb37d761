import type { RunningWork } from '../../store/store.ts'
import type { workflowEndpoints } from '../../contract/endpoints/workflow.ts'
import { passOn } from '../../lib/async/pass-on.ts'
import { describeWorkflow, summarise } from '../../workflow/describe.ts'
import type { ValidRequest, Handler } from '../reply/reply.ts'
import type { Services } from '../services.ts'
import { executionStream } from '../reply/execution-stream.ts'
import { startedReply } from '../reply/started-reply.ts'

type Group = typeof workflowEndpoints

/** A request to `execute` or its alias `run`. */
type ExecuteRequest = Pick<
  ValidRequest<Group['executeWorkflow']>,
  'params' | 'body' | 'headers' | 'user' | 'trace'
>

export function workflowHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  /** What is known of a workflow besides its definition. */
  const stateOf = (id: string, { workflows }: RunningWork) => ({
    running: workflows.has(id),
    served: services.current().registry.servesWorkflow(id),
  })
  const start = ({ params, body, user, trace }: Omit<ExecuteRequest, 'headers'>) => {
    const { executions } = services.current().engine
    return executions.execute(params.id, body.input, { ...body.options, user, trace })
  }
  const execute = async (request: ExecuteRequest) => startedReply(await start(request), request.headers)
  return {
    listWorkflows: ({ access }) => {
      const { engine, registry } = services.current()
      const definitions = registry.list().map(({ definition }) => definition)
      return passOn(access.readable(definitions, 'workflow'), (readable) =>
        passOn(engine.runningWork(), (running) =>
          readable.map((definition) => summarise(definition, stateOf(definition.id, running))),
        ),
      )
    },
    getWorkflow: async ({ params: { id } }) => {
      const { engine, registry } = services.current()
      const { definition } = registry.get(id)
      return describeWorkflow(definition, stateOf(id, await engine.runningWork()))
    },
    executeWorkflow: execute,
    runWorkflow: execute,
    sendEvent: async ({ body, access, trace }) => {
      await access.to('event', 'event', body.name)
      const { executions } = services.current().engine
      return executions.sendEvent(body, { sender: await access.sender(), trace })
    },
    streamWorkflow: async (request) => {
      const { executionId, stored } = await start(request)
      await stored()
      const row = await services.current().engine.executions.find({ executionId })
      return executionStream(services, row, {
        after: 0,
        until: 'result',
        include: request.query.include,
        stacks: services.isOperator(request.raw),
      })
    },
  }
}
