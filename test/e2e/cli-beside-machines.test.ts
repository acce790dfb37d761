import { afterEach, beforeEach, expect, it } from 'vitest'
import { createDatabase, describeOnPostgres } from '../support/postgres/test-database.ts'
import type { TestDatabase } from '../support/postgres/test-database.ts'
import { CliProject } from '../support/project/cli-project.ts'
import type { RunningServer } from '../support/project/cli-project.ts'

const FILES = { 'package.json': '{"name":"shop"}' }

describeOnPostgres('a command beside the servers of other machines', () => {
  let database: TestDatabase
  /** The project on a machine with a server, and on one without. */
  let served: CliProject
  let here: CliProject
  let server: RunningServer
  beforeEach(async () => {
    database = await createDatabase()
    served = new CliProject(FILES)
    here = new CliProject(FILES)
    server = await served.serve('dev', env())
  })
  afterEach(async () => {
    await served.end()
    await here.end()
    await database.drop()
  })
  const env = () => ({ env: { DATABASE_URL: database.url } })
  const run = (...args: string[]) => here.run(args, env())
  const json = (...args: string[]) => here.json(args, env())

  /** Starts an execution on the server, whose second step runs until the gate is opened. */
  async function startSlow(): Promise<string> {
    const times = served.notes().filter((note) => note === 'second').length
    const response = await fetch(new URL('/workflows/slow/execute', server.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', prefer: 'respond-async' },
      body: JSON.stringify({ input: {} }),
    })
    const { data } = (await response.json()) as { data: { executionId: string } }
    await served.noted('second', times + 1)
    return data.executionId
  }

  it('runs, reads and controls executions of all machines, and disturbs none', async () => {
    const id = await startSlow()
    const ran = await json('run-workflow', 'order', '--input', '{"orderId":"a"}')
    expect(ran).toMatchObject({ exitCode: 0, value: { status: 'completed' } })
    const waiting = await json('run-workflow', 'order', '--input', '{"orderId":"b","amount":500}')
    expect(waiting.exitCode).toBe(3)
    const { executionId } = waiting.value
    const listed = await json('list', 'executions')
    expect(listed.value.map(({ status }: { status: string }) => status)).toEqual([
      'suspended',
      'completed',
      'running',
    ])
    expect((await run('state', id)).stdout).toMatch(/status +running/)
    expect((await run('trace', executionId)).exitCode).toBe(0)
    expect((await run('logs')).exitCode).toBe(0)
    const resumed = await json('resume-workflow', 'order', executionId, '--data', '{"ok":true}')
    expect(resumed).toMatchObject({ exitCode: 0, value: { status: 'completed' } })
    const replayed = await json('replay-workflow', 'order', executionId, '--step', 'charge')
    expect(replayed.exitCode).toBe(3)

    served.write({ gate: '' })
    const [again] = (await json('list', 'executions', '--workflow', 'slow')).value
    expect(again.id).toBe(id)
    await expect.poll(async () => (await json('state', id)).value.status).toBe('completed')
    // on the server alone, and each step once
    expect(served.notes()).toEqual(['first', 'second', 'third'])
    expect(here.notes()).toEqual([])
  })

  it('suspends and cancels what a server runs', async () => {
    const cancelled = await startSlow()
    const ended = await run('cancel-workflow', 'slow', cancelled)
    expect([ended.exitCode, ended.stdout]).toEqual([0, expect.stringContaining('cancelled')])
    // one whose last step ends before its machine hears of the request completes, and is refused
    let result: Awaited<ReturnType<typeof json>> | undefined
    let attempts = 0
    while (result?.exitCode !== 0 && attempts++ < 5) {
      if (attempts > 1) served.delete('gate')
      const suspended = await startSlow()
      const suspending = json('suspend-workflow', 'slow', suspended)
      await expect.poll(() => requested(suspended)).toBe(true)
      served.write({ gate: '' })
      result = await suspending
    }
    expect(result).toMatchObject({ exitCode: 0, value: { status: 'suspended' } })
    expect((await json('state', cancelled)).value.status).toBe('cancelled')
    expect(served.notes().filter((note) => note === 'third')).toHaveLength(attempts - 1)
  })

  /** Whether an execution is to be suspended. */
  async function requested(id: string): Promise<boolean> {
    const [row] = await database.query<{ requested: boolean }>(
      'SELECT suspend_request IS NOT NULL AS requested FROM agentserver_shop.executions WHERE id = $1',
      [id],
    )
    return row?.requested ?? false
  }

  it('that ends early leaves its execution to a server', async () => {
    const command = here.spawn(['run-workflow', 'slow'], env())
    await here.noted('second')
    served.write({ gate: '' })
    command.kill('SIGKILL')
    await command
    await served.noted('third')
    expect(served.notes()).toEqual(['second', 'third'])
    expect((await json('list', 'executions')).value).toMatchObject([{ status: 'completed' }])
  })
})
