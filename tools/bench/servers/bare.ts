import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { openDatabase } from '../../../src/store/sqlite/driver.ts'

/**
 * The minimum cost of a durable execution of three steps: a handler that makes the same five commits with the same driver
 * and settings, and nothing else.
 */
export function main([port = '0']: readonly string[]): void {
  const database = openDatabase(path.join(mkdtempSync(path.join(tmpdir(), 'agentserver-bare-')), 'data.db'))
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = normal')
  database.exec(
    'CREATE TABLE executions (id TEXT PRIMARY KEY, workflow TEXT, status TEXT, created INTEGER, updated INTEGER, input TEXT, output TEXT)',
  )
  database.exec('CREATE TABLE steps (execution TEXT, step TEXT, data TEXT, PRIMARY KEY (execution, step))')
  database.exec('CREATE INDEX newest ON executions (created)')
  const create = database.prepare('INSERT INTO executions VALUES (?, ?, ?, ?, ?, ?, NULL)')
  const step = database.prepare('INSERT INTO steps VALUES (?, ?, ?)')
  const finish = database.prepare('UPDATE executions SET status = ?, updated = ?, output = ? WHERE id = ?')

  const app = new Hono()
  app.get('/workflows', (c) =>
    c.json({
      success: true,
      data: [{ id: 'trivial', name: 'Trivial', purpose: '', stepsCount: 3, status: 'idle' }],
    }),
  )
  app.post('/execute', async (c) => {
    const { input } = await c.req.json<{ input: unknown }>()
    const id = crypto.randomUUID()
    const startAt = new Date()
    const text = JSON.stringify(input)
    create.run(id, 'trivial', 'running', startAt.getTime(), startAt.getTime(), text)
    for (const name of ['one', 'two', 'three']) step.run(id, name, text)
    const endAt = new Date()
    finish.run('completed', endAt.getTime(), text, id)
    const data = {
      executionId: id,
      startAt: startAt.toISOString(),
      endAt: endAt.toISOString(),
      status: 'completed',
      result: input,
    }
    return c.json({ success: true, data })
  })
  app.get('/', (c) => c.text('ok'))
  serve({ fetch: app.fetch, port: Number(port), hostname: '127.0.0.1' })
}
