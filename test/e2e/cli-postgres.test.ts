import net from 'node:net'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createDatabase, describeOnPostgres } from '../support/postgres/test-database.ts'
import type { TestDatabase } from '../support/postgres/test-database.ts'
import { CliProject } from '../support/project/cli-project.ts'
import type { RunningServer } from '../support/project/cli-project.ts'
import { until } from '../support/until.ts'

const statusOf = async ({ url }: RunningServer, path: string) => (await fetch(new URL(path, url))).status

const ORDER = { orderId: 'a' }

describeOnPostgres('the command line on Postgres', () => {
  let database: TestDatabase
  let project: CliProject
  beforeEach(async () => {
    database = await createDatabase()
    project = new CliProject({ 'package.json': '{"name":"shop"}' })
  })
  afterEach(async () => {
    await project.end()
    await database.drop()
  })
  const env = (url = database.url) => ({ env: { DATABASE_URL: url } })
  const password = () => new URL(database.url).password

  it('migrate creates the schema, which start requires', async () => {
    const refused = await project.run(['start', '--port', '0'], env())
    expect(refused.exitCode).toBe(2)
    expect(refused.stderr).toMatch(
      /The schema "agentserver_shop" of the database \w+ on \S+ has no tables yet/,
    )
    expect(refused.stderr).toMatch(/Run `.*agentserver\S* migrate`/)
    const check = await project.run(['migrate', '--check'], env())
    expect([check.exitCode, check.stdout]).toEqual([
      1,
      expect.stringMatching(/has to be created: version \d+/),
    ])
    const migrated = await project.json(['migrate'], env())
    expect(migrated).toMatchObject({ exitCode: 0, value: { schema: 'agentserver_shop', changed: true } })
    const again = await project.run(['migrate'], env())
    expect([again.exitCode, again.stdout]).toEqual([0, expect.stringContaining('is up to date')])
    expect((await project.run(['migrate', '--check'], env())).exitCode).toBe(0)
    const server = await project.serve('start', env())
    expect(await statusOf(server, '/readyz')).toBe(200)
    expect(server.stderr).not.toContain(`:${password()}@`)
    await server.kill('SIGTERM')
    const sqlite = await project.run(['migrate'])
    expect([sqlite.exitCode, sqlite.stdout]).toEqual([0, expect.stringContaining('Nothing to do')])
  })

  it('commands work against the database when no server runs', async () => {
    const dev = await project.serve('dev', env())
    await dev.kill('SIGTERM')
    const input = ['--input', JSON.stringify(ORDER)]
    const ran = await project.json(['run-workflow', 'order', ...input], env())
    expect(ran).toMatchObject({ exitCode: 0, value: { status: 'completed' } })
    const list = await project.json(['list', 'executions'], env())
    expect(list.value).toMatchObject([{ status: 'completed' }])
  })

  it.each([
    [
      'a URL that does not parse',
      () => 'postgres://ann:s3cr#et@127.0.0.1/shop',
      2,
      'the Postgres URL is not valid',
    ],
    ['a schema name that is not valid', () => `${database.url}?schema=My-Shop`, 2, 'not a valid schema name'],
    ['no server', () => 'postgres://ann:s3cret@127.0.0.1:1/shop', 4, 'ECONNREFUSED'],
    [
      'a wrong password',
      () => database.url.replace(`:${password()}@`, ':s3cret@'),
      4,
      'password authentication failed',
    ],
  ])('a command fails at once with %s, and does not show the password', async (_, url, exitCode, message) => {
    const ended = await project.run(['list', 'executions'], env(url()))
    expect(ended).toMatchObject({ exitCode, stderr: expect.stringContaining(message) })
    expect(ended.stdout + ended.stderr).not.toMatch(/s3cr/)
    const doctor = await project.run(['doctor'], env(url()))
    expect(doctor.exitCode).toBe(2)
    expect(doctor.stdout + doctor.stderr).toContain(message)
    expect(doctor.stdout + doctor.stderr).not.toMatch(/s3cr/)
  })

  it('a server whose database is away comes up, and works when the database is there', async () => {
    await project.run(['migrate'], env())
    const { hostname, port } = new URL(database.url)
    let isAway = true
    const proxy = net.createServer((client) => {
      if (isAway) return void client.destroy()
      const server = net.connect(Number(port), hostname)
      for (const socket of [client, server]) socket.on('error', () => undefined)
      client.pipe(server).pipe(client)
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const url = new URL(database.url)
    url.port = String((proxy.address() as AddressInfo).port)
    const server = await project.serve('start', env(url.href))
    try {
      expect(await statusOf(server, '/healthz')).toBe(200)
      expect((await server.post('/workflows/order/execute', { input: ORDER })).status).toBe(503)
      for (const path of ['/readyz', '/observability/executions']) {
        const response = await fetch(new URL(path, server.url))
        const refused = { success: false, error: 'The database cannot be used' }
        expect({ status: response.status, body: await response.json() }).toEqual({
          status: 503,
          body: refused,
        })
      }
      isAway = false
      await until(async () => (await statusOf(server, '/readyz')) === 200, 'a ready server')
      expect(await server.post('/workflows/order/execute', { input: ORDER })).toMatchObject({
        status: 200,
        data: { status: 'completed' },
      })
      expect(server.stderr.match(/cannot be used/g)).toHaveLength(1)
      expect(server.stderr).not.toContain(`:${password()}@`)
    } finally {
      await server.kill('SIGTERM')
      proxy.close()
    }
  })

  it('doctor checks the server, its notifications, its clock and its connections', async () => {
    await project.run(['migrate'], env())
    const { exitCode, value } = await project.json(['doctor'], env())
    expect(exitCode).toBe(0)
    const checks = Object.fromEntries(
      value.checks.map((check: { id: string; status: string; message: string }) => [check.id, check]),
    )
    expect(checks).toMatchObject({
      database: { status: 'ok', message: expect.stringMatching(/^Postgres \d+.*schema "agentserver_shop"$/) },
      notify: { status: 'ok', message: expect.stringContaining('LISTEN works') },
      clock: { status: 'ok' },
      pool: { status: 'ok', message: expect.stringContaining('up to 16 connections') },
    })
  })
})
