import { afterEach, beforeEach, expect, test } from 'vitest'
import { createAgent } from 'agentserver'
import { scriptedModel } from 'agentserver/testing'
import { moveHistory } from '../../../../src/store/move/move-history.ts'
import type { MoveOptions, MoveProgress, MoveResult } from '../../../../src/store/move/move-history.ts'
import { openStore } from '../../../../src/store/open.ts'
import type { Store } from '../../../../src/store/store.ts'
import { openDatabase } from '../../../../src/store/sqlite/driver.ts'
import { createDatabase, describeOnPostgres } from '../../../support/postgres/test-database.ts'
import type { TestDatabase } from '../../../support/postgres/test-database.ts'
import { TempProject } from '../../../support/project/temp-project.ts'
import { TestServer } from '../../../support/server/test-server.ts'

const PAGE = { limit: 1000, offset: 0 }
const HOSTILE = 'a\u0000b \u001A "\\ \u{1F468}'

const JOBS = [
  { kind: 'wake', id: 'asleep', sequence: 3 },
  { kind: 'begin', workflowId: 'order', executionId: 'later', input: '{}' },
]

describeOnPostgres('a moved history', () => {
  let project: TempProject
  let database: TestDatabase

  beforeEach(async () => {
    project = new TempProject({ 'package.json': '{"name":"shop"}' })
    database = await createDatabase()
    await fill()
  })
  afterEach(async () => {
    await database.drop()
    project.remove()
  })

  /** A server that has run, with executions of every status, one of which a crash has left running. */
  async function fill(): Promise<void> {
    const agent = createAgent({
      id: 'desk',
      name: 'Desk',
      instructions: 'Help.',
      model: scriptedModel(['one', 'two', 'three']),
    })
    const server = new TestServer(
      { database: 'file:data.db', agents: [agent] },
      { root: project.root, level: 'info' },
    )
    for (const amount of [1, 2, 500])
      await server.post('/workflows/order/execute', {
        input: { orderId: HOSTILE, amount },
        options: { userId: HOSTILE, conversationId: 'c1' },
      })
    for (const workflow of ['broken', 'ask', 'everything', 'parent'])
      await server.post(`/workflows/${workflow}/execute`, { input: {} })
    for (const input of ['first', 'second', HOSTILE])
      await server.post('/agents/desk/text', { input, options: { conversationId: HOSTILE, userId: 'ada' } })
    await server.close()
    const file = openDatabase(project.path('data.db'))
    file.exec(`UPDATE executions SET status = 'running', ended_at = NULL WHERE workflow_id = 'everything'`)
    file.exec(
      `UPDATE agent_runs SET status = 'suspended', ended_at = NULL, expires_at = 4102444800000, continuation = '{}',
         parent_id = 'p', request_key = 'k' WHERE number = 1;
       INSERT INTO execution_usage SELECT number, 10, 5, 15, 4, 2, 300000000 FROM executions LIMIT 1;
       INSERT INTO agent_approvals (id, run, kind, tool_call_id, tool_name, input, created_at)
         VALUES ('approval', 1, 'tool', 'call', 'refund', '{}', 5)`,
    )
    file.exec(`
      INSERT INTO events (id, name, key, data, at) VALUES ('e1', 'payment', 'A-1', '{"cents":5}', 1000);
      INSERT INTO waits (execution_id, path, name, key, since) VALUES ('x', 'paid', 'payment', NULL, 1000);
      INSERT INTO budget_hours (declared_on, per, subject, hour, call, cost_nano, tokens, until)
        VALUES ('config', 'user', 'ada', 9, '', 5000000000, 70, 33), ('config', 'user', 'ada', 9, 'run:1', 1, 2, 33),
          ('agent desk', 'run', 'r', 9, '', 1, 2, NULL);
      INSERT INTO schedules VALUES ('daily', 3, '0 9 * * *', 1, NULL, '[1000,2000]', 1000, 'daily:1970', 1000)`)
    file
      .prepare(`UPDATE conversations SET title = ?, summary = '{"text":"talk"}', summarised = 4`)
      .run(HOSTILE)
    file
      .prepare('INSERT INTO working_memory VALUES (1, ?, ?, ?, ?, 3, 5)')
      .run('desk', '"ada"', JSON.stringify({ note: HOSTILE }), '"ada"')
    for (const job of JOBS)
      file
        .prepare('INSERT INTO jobs (key, job, at) VALUES (?, ?, 4102444800000)')
        .run(job.kind, JSON.stringify(job))
    file.close()
  }

  function move(options: Partial<MoveOptions> = {}) {
    return moveHistory({
      file: project.path('data.db'),
      url: database.url,
      root: project.root,
      telemetry: true,
      onProgress: () => undefined,
      ...options,
    })
  }

  const open = (url: string) => openStore({ url, root: project.root, readOnly: true })

  /** Everything that a store has, but for the numbers that each database gives its own rows. */
  async function contents(store: Store) {
    const executions = await store.executions.list({}, PAGE)
    const traces = await store.traces.list({}, { limit: 1000 })
    const milestones = await store.executions.milestones({ after: 0, limit: 1000 })
    return {
      executions,
      histories: await Promise.all(executions.map(({ id }) => store.executions.history(id))),
      events: await Promise.all(
        executions.map(({ id }) => store.executions.events(id, { after: 0, limit: 1000 })),
      ),
      milestones: milestones.map(({ number, isLast, execution }) => [number, isLast, execution.id]),
      newest: await store.executions.newestMilestone(),
      hours: await store.usage.hours(0),
      usage: await store.agentRuns.usageOf(executions.map(({ id }) => id)),
      runs: await store.agentRuns.list({}, PAGE),
      approvals: await store.agentRuns.approvals({}, PAGE),
      conversations: await store.conversations.list({}, PAGE),
      messages: await store.conversations.page({ userId: 'ada', conversationId: HOSTILE }, { limit: 100 }),
      summary: await store.conversations.summary({ userId: 'ada', conversationId: HOSTILE }),
      workingMemory: await store.workingMemory.get({ agentId: 'desk', userId: 'ada' }),
      budgets: await Promise.all(
        [
          ['config', 'user'],
          ['agent desk', 'run'],
        ].map(([declaredOn = '', per = '']) =>
          store.budgets.top({ declaredOn, per }, { fromHour: 0, by: 'costNano', limit: 10 }),
        ),
      ),
      schedules: await store.schedules.list(),
      logs: await store.logs.list({}, { limit: 1000 }),
      logCount: await store.logs.count(),
      traces,
      // the process of an open span has ended, which a second reader of the file does not know
      spans: (await Promise.all(traces.map(({ traceId }) => store.traces.spans(traceId, { limit: 1000 }))))
        .flat()
        .map(({ isOrphaned: _, ...span }) => span),
      totals: await store.traces.totals(),
    }
  }

  test('is the same on Postgres as it was in the file', async () => {
    const source = await open('file:data.db')
    const before = await contents(source)
    await source.close()
    const { rows, continuedAt } = await move()
    expect(continuedAt).toBe(0)
    expect(rows).toMatchObject({
      executions: before.executions.length,
      agent_runs: 3,
      conversations: 1,
      messages: 6,
      working_memory: 1,
    })
    const target = await open(database.url)
    expect(await contents(target)).toEqual(before)
    await target.close()
  })

  test('can be left without logs and traces', async () => {
    const { rows } = await move({ telemetry: false })
    expect(Object.keys(rows)).not.toContain('logs')
    const target = await open(database.url)
    expect(await target.logs.count()).toBe(0)
    expect(await target.executions.count({})).toBeGreaterThan(0)
    await target.close()
  })

  test('continues where it was interrupted, after each table', async () => {
    const source = await open('file:data.db')
    const before = await contents(source)
    await source.close()
    const copied: string[] = []
    const onProgress: MoveOptions['onProgress'] = ({ phase, part }) => {
      if (phase !== 'copying') return
      copied.push(part)
      throw new Error('killed')
    }
    let result: MoveResult | undefined
    while (!result) {
      result = await move({ onProgress }).catch((error: Error) => {
        if (error.message !== 'killed') throw error
        return undefined
      })
    }
    const { rows, continuedAt } = result
    expect(copied).toHaveLength(new Set(copied).size)
    expect(copied.toSorted()).toEqual(
      Object.keys(rows)
        .filter((name) => rows[name] !== 0)
        .toSorted(),
    )
    expect(continuedAt).toBe(Object.values(rows).reduce((sum, count) => sum + count, 0))
    const target = await open(database.url)
    expect(await contents(target)).toEqual(before)
    await target.close()
  })

  test('cannot be used before it is complete', async () => {
    await expect(move({ onProgress: failAfter('verifying', 'logs') })).rejects.toThrow('killed')
    await expect(openStore({ url: database.url, root: project.root, migrate: true })).rejects.toMatchObject({
      message: expect.stringMatching(/has an unfinished move of another database$/),
      hint: expect.stringContaining('agentserver move'),
    })
    await move()
    await (await open(database.url)).close()
  })

  test('is not continued from a file that has been used since', async () => {
    await expect(move({ onProgress: failAfter('copying', 'journal') })).rejects.toThrow('killed')
    await (await openStore({ url: 'file:data.db', root: project.root })).close()
    await expect(move()).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('unfinished move'),
    })
  })

  test('does not replace what a database has', async () => {
    await move()
    await expect(move()).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/is not empty: it has \d+ executions, 3 agent runs, 1 conversations/),
      hint: expect.stringContaining('?schema='),
    })
  })

  test('is not taken from a file that a server uses', async () => {
    const owner = await openStore({ url: 'file:data.db', root: project.root })
    await expect(move()).rejects.toMatchObject({ code: 'database_locked' })
    await owner.close()
  })

  test.each([
    ['journal', `UPDATE journal SET events = '[]' WHERE execution = 1`, 'the contents of journal differ'],
    [
      'executions',
      'DELETE FROM executions WHERE number = 1',
      /executions has \d+ rows in the file and \d+ in the database/,
    ],
  ])('is compared: a difference in %s is found', async (_, change, message) => {
    await expect(move({ onProgress: failAfter('verifying', 'executions', false) })).rejects.toThrow('killed')
    await database.query(`SET search_path = agentserver_shop; ${change}`)
    await expect(move()).rejects.toThrow(message)
  })

  test('gives new records numbers of their own', async () => {
    await move()
    const server = new TestServer({ database: database.url }, { root: project.root })
    const { executionId } = await server.execute('everything')
    expect(executionId).not.toBe('')
    await server.close()
  })

  test('has the jobs that wake executions and start them', async () => {
    await move()
    expect(await storedJobs()).toEqual(JOBS)
  })

  test('is not complete without its jobs', async () => {
    await expect(move({ onProgress: failAfter('verifying', 'logs') })).rejects.toThrow('killed')
    const table = 'ALTER TABLE agentserver_shop_boss.job'
    await database.query(`${table} ADD CONSTRAINT no_jobs CHECK (name <> 'jobs') NOT VALID`)
    await expect(move()).rejects.toThrow('no_jobs')
    await database.query(`${table} DROP CONSTRAINT no_jobs`)
    expect((await move()).continuedAt).toBeGreaterThan(0)
    expect(await storedJobs()).toEqual(JOBS)
  })

  async function storedJobs(): Promise<unknown[]> {
    const rows = await database.query<{ data: { job: unknown } }>(
      `SELECT data FROM agentserver_shop_boss.job WHERE name = 'jobs' AND start_after > '2099-12-31'
       ORDER BY (data ->> 'order')::bigint`,
    )
    return rows.map(({ data }) => data.job)
  }

  test('is not that of a file from before the first release', async () => {
    const file = openDatabase(project.path('data.db'))
    file.exec('PRAGMA application_id = 0; PRAGMA user_version = 44')
    file.close()
    await expect(move()).rejects.toMatchObject({
      message: expect.stringMatching(/data\.db was not made by a released version of agentserver$/),
      hint: 'Start with a new database file: nothing of an unreleased version is carried over',
    })
    expect(await database.query(`SELECT FROM pg_namespace WHERE nspname LIKE 'agentserver%'`)).toEqual([])
  })

  test('leaves the file as it was', async () => {
    const hash = () => {
      const file = openDatabase(project.path('data.db'), { readOnly: true })
      const { epoch } = file.prepare('SELECT epoch FROM owner').get() as { epoch: number }
      file.close()
      return epoch
    }
    const before = hash()
    await move()
    expect(hash()).toBe(before)
  })
})

/** Ends a move as a signal would, once rows of a table have been handled. */
function failAfter(phase: MoveProgress['phase'], part: string, always = true): MoveOptions['onProgress'] {
  return (progress) => {
    if (progress.phase === phase && progress.part === part && (always || progress.rows > 0))
      throw new Error('killed')
  }
}
