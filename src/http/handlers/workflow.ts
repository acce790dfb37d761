import type { workflowEndpoints } from '../../contract/endpoints/workflow.ts'
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
  const states = async () => {
    const { registry, engine } = services.current()
    const { workflows } = await engine.runningWork()
    return (id: string) => ({ running: workflows.has(id), served: registry.servesWorkflow(id) })
  }
  const start = ({ params, body, user, trace }: Omit<ExecuteRequest, 'headers'>) => {
    const { executions } = services.current().engine
    return executions.execute(params.id, body.input, { ...body.options, user, trace })
  }
  const execute = async (request: ExecuteRequest) => startedReply(await start(request), request.headers)
  return {
    listWorkflows: async ({ access }) => {
      const stateOf = await states()
      const definitions = services
        .current()
        .registry.list()
        .map(({ definition }) => definition)
      const readable = await access.readable(definitions, 'workflow')
      return readable.map((definition) => summarise(definition, stateOf(definition.id)))
    },
    getWorkflow: async ({ params: { id } }) => {
      const { definition } = services.current().registry.get(id)
      return describeWorkflow(definition, (await states())(id))
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
