import { ApiError, createClient } from 'agentserver/client'

const USAGE = `Usage:
  npm run inbox                                                  lists the executions that wait for a decision
  npm run inbox -- approve <executionId> <by>                    approves it
  npm run inbox -- reject <executionId> <by> <comment>           rejects it`

const client = createClient({ baseUrl: process.env['AGENTSERVER_URL'] ?? 'http://127.0.0.1:3141' })

async function list() {
  const waiting = await client.executions({ workflowId: 'expense', status: 'suspended', limit: 200 })
  if (waiting.length === 0) console.log('No expense is waiting.')
  for (const { id, suspension } of waiting) console.log(id, suspension?.reason, suspension?.data)
}

/**
 * @param {string} executionId
 * @param {{ approved: boolean, by: string, comment?: string | undefined }} decision
 */
async function decide(executionId, decision) {
  const execution = client.workflow('expense').execution(executionId)
  const { status, suspension, result } = await execution.resume(decision)
  console.log(status, suspension?.reason ?? result)
}

const [action = 'list', executionId, by, comment] = process.argv.slice(2)
try {
  if (action === 'list') await list()
  else if (action === 'approve' && executionId && by) await decide(executionId, { approved: true, by })
  else if (action === 'reject' && executionId && by)
    await decide(executionId, { approved: false, by, comment })
  else throw new Error(USAGE)
} catch (error) {
  const status = error instanceof ApiError ? `${error.status}: ` : ''
  console.error(status + (error instanceof Error ? error.message : String(error)))
  process.exitCode = 1
}
