import { userIdOfOwner } from '../../../contract/access/user-key.ts'
import { LISTED_CASES } from '../../../contract/endpoints/project/kept-cases.ts'
import type { KeptCase, keptCaseEndpoints } from '../../../contract/endpoints/project/kept-cases.ts'
import { targetName } from '../../../contract/evals/case.ts'
import type { CaseTarget } from '../../../contract/evals/case.ts'
import { ALL_CASES, readCases } from '../../../evals/cases/case-files.ts'
import { caseOfRun } from '../../../evals/keep/case-of-run.ts'
import type { EndedRun } from '../../../evals/keep/case-of-run.ts'
import { endedAgentRun } from '../../../evals/keep/ended-agent-run.ts'
import { endedExecution } from '../../../evals/keep/ended-execution.ts'
import { hasCaseFile, writeCase } from '../../../evals/keep/write-case.ts'
import { AppError } from '../../../lib/errors.ts'
import type { Handler, ValidRequest } from '../../reply/reply.ts'
import type { Services } from '../../services.ts'

type Group = typeof keptCaseEndpoints
type RunParams = Pick<ValidRequest<Group['getAgentRunCase']>, 'params' | 'access'>

export function keptCaseHandlers(services: Services): { [K in keyof Group]: Handler<Group[K]> } {
  const { root, redactor } = services
  // pins and cases are changes of the project, which only `agentserver dev` makes
  const writable = services.pins !== undefined
  const shown = (run: EndedRun): KeptCase => {
    const kept = caseOfRun(run, redactor.whole)
    return { ...kept, hints: [...kept.hints], exists: hasCaseFile(root, kept.path), writable }
  }
  const written = (run: EndedRun, body: ValidRequest<Group['keepExecutionCase']>['body']): KeptCase => {
    if (!writable) throw new AppError('conflict', 'Cases are written under "agentserver dev" only')
    const found = shown(run)
    const kept = { ...found, case: body.case ?? found.case, path: body.path ?? found.path }
    writeCase(kept.case, { root, file: kept.path, overwrite: body.overwrite ?? false })
    return { ...kept, exists: true }
  }
  const ofExecution = async (executionId: string): Promise<EndedRun> => {
    const { engine, registry } = services.current()
    const read = async (id: string) =>
      engine.queries.detail(await engine.executions.find({ executionId: id }))
    const detail = await read(executionId)
    if (!registry.find(detail.workflowId)) throw gone(`workflow "${detail.workflowId}"`)
    return endedExecution(detail, (id) => read(id).catch(ignoreMissing))
  }
  const ofAgentRun = async ({ params: { id, runId }, access }: RunParams): Promise<EndedRun> => {
    const { engine, registry } = services.current()
    const agent = registry.usedAgent(id)
    const userId = userIdOfOwner(await access.owner())
    const [record] = await engine.history.list({ id: runId, agentId: id, userId }, { limit: 1, offset: 0 })
    if (!record) throw new AppError('not_found', `Run not found: ${runId}`)
    if (!registry.isServed(agent))
      throw new AppError(
        'conflict',
        `The agent "${id}" can't be run by a case: it is used only by workflow steps or other agents`,
        { hint: 'Add it to "agents" in the configuration.' },
      )
    return endedAgentRun(record, await engine.history.request(runId))
  }
  const casesOf = async (target: CaseTarget) => {
    const files = await readCases(root, ALL_CASES)
    const cases = files.flatMap((file) => ('case' in file ? [file] : []))
    return cases
      .filter(({ case: { target: own } }) => targetName(own) === targetName(target))
      .slice(0, LISTED_CASES)
      .map(({ file: path, case: { input, note } }) => ({ path, input, ...(note !== undefined && { note }) }))
  }
  return {
    listWorkflowCases: ({ params: { id } }) => {
      services.current().registry.get(id)
      return casesOf({ workflow: id })
    },
    listAgentCases: ({ params: { id } }) => {
      services.current().registry.usedAgent(id)
      return casesOf({ agent: id })
    },
    getExecutionCase: async ({ params }) => shown(await ofExecution(params.executionId)),
    keepExecutionCase: async ({ params, body }) => written(await ofExecution(params.executionId), body),
    getAgentRunCase: async (request) => shown(await ofAgentRun(request)),
    keepAgentRunCase: async (request) => written(await ofAgentRun(request), request.body),
  }
}

function gone(target: string): AppError {
  return new AppError(
    'conflict',
    `The ${target} is not in the configuration any more: its case could not run`,
  )
}

function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof AppError) || error.code !== 'not_found') throw error
}
