import { describe, expect, it, vi } from 'vitest'
import type { LogRow, LogStore } from '../../../../src/store/log-store.ts'
import { openSqliteStore } from '../../../../src/store/sqlite/sqlite-store.ts'
import { collectLogs } from '../../../support/telemetry/collect-logs.ts'

/** A store that keeps records in memory. `insert` may throw. */
function listStore(insert?: () => void): LogStore & { readonly rows: LogRow[] } {
  const rows: LogRow[] = []
  return {
    rows,
    insert: async (more) => {
      insert?.()
      rows.push(...more)
    },
    list: async () => rows,
    count: async () => rows.length,
    newest: async () => rows.at(-1)?.id ?? 0,
    prune: async () => 0,
    delete: async () => 0,
    follow: () => () => undefined,
  }
}

describe('the log of a process', () => {
  it('prints, stores and publishes the same record', async () => {
    const { logs, printed } = collectLogs()
    const store = listStore()
    await logs.storeIn(store)
    const published: unknown[] = []
    const unsubscribe = logs.feed.subscribe((record) => published.push(record))
    logs.logger.child({ agentId: 'a-1', runId: 'r' }).warn({ token: 'abc', n: 1n }, 'hi')
    await logs.flush()
    unsubscribe()
    logs.logger.warn('unheard')
    const attributes = { agentId: 'a-1', runId: 'r', token: '[redacted]', n: '1' }
    expect(printed[0]).toMatchObject({ level: 40, message: 'hi', agentId: 'a-1', attributes })
    expect(store.rows).toEqual([{ ...printed[0], attributes: JSON.stringify(attributes) }])
    expect(published).toEqual([
      expect.objectContaining({ id: String(printed[0]?.id), level: 'warn', message: 'hi', attributes }),
    ])
  })

  it('truncates long messages', () => {
    const { logs, printed } = collectLogs()
    logs.logger.info('long '.repeat(100_000))
    logs.logger.info({ n: 1, msg: 'tall '.repeat(100_000) })
    for (const { message } of printed) expect(message).toMatch(/^(long|tall) .{16000,17000}…$/)
  })

  it('stores records that were logged before the database was open', async () => {
    const { logs } = collectLogs()
    logs.logger.info('early')
    const store = listStore()
    await logs.storeIn(store)
    logs.logger.info('late')
    await logs.close()
    expect(store.rows.map(({ message }) => message)).toEqual(['early', 'late'])
  })

  it('counts records that were lost before the database was open', async () => {
    const { logs, printed } = collectLogs()
    for (let n = 0; n < 10_007; n++) logs.logger.info('flood')
    const store = listStore()
    await logs.storeIn(store)
    expect(logs.lost).toBe(7)
    await logs.close()
    await expect.poll(() => printed.at(-1)?.message).toMatch(/^7 log record\(s\) were not stored/)
  })

  it('stores records within 200 ms', async () => {
    const { logs } = collectLogs()
    const store = listStore()
    await logs.storeIn(store)
    logs.logger.info('one')
    await expect.poll(() => store.rows).toHaveLength(1)
  })

  it('continues after the newest id of the store, even when the clock was set back', async () => {
    const { logs } = collectLogs({ clock: { now: () => 1000 } })
    const store = listStore()
    store.rows.push({ id: 5_000_000_000 } as LogRow)
    await logs.storeIn(store)
    logs.logger.info('one')
    logs.logger.info('two')
    await logs.close()
    expect(store.rows.slice(1).map(({ id }) => id)).toEqual([5_000_000_001, 5_000_000_002])
  })

  it('drops, counts and reports records when the store is too slow', async () => {
    const { logs, printed } = collectLogs()
    const store = listStore()
    await logs.storeIn(store)
    for (let n = 0; n < 12_000; n++) logs.logger.info('flood')
    await logs.close()
    expect(logs.lost).toBe(2000)
    expect(store.rows.filter(({ message }) => message === 'flood')).toHaveLength(10_000)
    await expect.poll(() => printed.at(-1)?.message).toMatch(/log record\(s\) were not stored/)
  })

  it('reports a failure of the database, and continues', async () => {
    const { logs, printed } = collectLogs()
    let full = true
    const store = listStore(() => {
      if (full) throw new Error('disk full')
    })
    await logs.storeIn(store)
    logs.logger.info('lost')
    await logs.flush()
    await expect.poll(() => printed.at(-1)?.message).toMatch(/1 log record\(s\) were not stored/)
    expect(printed.at(-1)?.attributes).toMatchObject({ count: 1, err: { message: 'disk full' } })
    full = false
    logs.logger.info('kept')
    await logs.close()
    expect(store.rows.map(({ message }) => message)).toContain('kept')
  })

  it('redacts bindings that are set later, and the results of serializers', () => {
    const { logs, printed } = collectLogs()
    const child = logs.logger.child({ a: 1 })
    child.setBindings({ apiKey: 'abc', note: 'Bearer abc.def-1', level: 'gold' })
    child.info('set')
    const serializers = { request: () => ({ token: 'abc' }), password: () => 'abc' }
    logs.logger.child({ request: {}, password: 'x' }, { serializers }).info('made')
    expect(printed.map(({ level, attributes }) => ({ level, ...attributes }))).toEqual([
      { level: 30, a: 1, apiKey: '[redacted]', note: 'Bearer [redacted]', level_: 'gold' },
      { level: 30, request: { token: '[redacted]' }, password: '[redacted]' },
    ])
    expect(child.bindings()).toMatchObject({ apiKey: '[redacted]' })
  })

  it('accepts any value that user code logs', async () => {
    const { logs, printed } = collectLogs()
    const { logger } = logs
    const loop: Record<string, unknown> = {}
    loop['self'] = loop
    const rude = {
      get bad(): never {
        throw new Error('no')
      },
    }
    logger.info(loop, 'loop')
    logger.info(rude, 'rude')
    logger.child(rude).info('rude child')
    logger.info({ level: 'gold', time: 'noon', msg: 'own', logged: 1 })
    logger.child({ level: 'gold', time: 1, msg: 'x' }).info('bound')
    logger.info({ msg: 'only in the object' })
    logger.error(new Error('bare'))
    logger.info('%s and %o', 'text', { secret: 'x' })
    logger.info({ a: 1 })
    logger.info(undefined as unknown as string)
    expect(printed.map(({ message }) => message)).toEqual([
      'loop',
      'rude',
      'rude child',
      'own',
      'bound',
      'only in the object',
      'bare',
      'text and {"secret":"[redacted]"}',
      '',
      '',
    ])
    expect(printed.every(({ level, timestamp }) => level >= 30 && timestamp > 1e12)).toBe(true)
    expect(printed[3]?.attributes).toEqual({ level: 'gold', time: 'noon', logged: 1 })
    expect(printed[4]?.attributes).toMatchObject({ time_: 1, msg_: 'x' })
    expect(printed[6]?.attributes['err']).toMatchObject({ type: 'Error', message: 'bare' })
  })

  it('shortens paths of the project and of packages, and keeps the frames of user code', () => {
    const { logs, printed } = collectLogs({ root: '/home/ada/shop' })
    const stack = [
      'Error: no',
      '    at execute (file:///home/ada/shop/src/pay.ts:1:2)',
      '    at run (/home/ada/node_modules/stripe/index.js:3:4)',
      '    at node:internal/timers:5:6',
    ]
    const error = Object.assign(new Error('no'), { stack: stack.join('\n') })
    logs.logger.error({ err: error, file: '/home/ada/shop/a.json' }, 'see /etc/hosts')
    expect(printed[0]).toMatchObject({
      message: 'see /etc/hosts',
      attributes: {
        file: 'a.json',
        err: {
          stack: 'Error: no\n    at execute (src/pay.ts:1:2)\n    at run (node_modules/stripe/index.js:3:4)',
        },
      },
    })
  })

  it('redacts the keys of the environment, including changed ones', () => {
    vi.stubEnv('SERVICE_CONSOLE_ACCESS_KEY', 'first-console-key')
    const { logs, printed } = collectLogs()
    logs.logger.info('first-console-key')
    vi.stubEnv('SERVICE_CONSOLE_ACCESS_KEY', 'second-console-key')
    logs.secrets.refresh()
    logs.logger.info('second-console-key')
    vi.unstubAllEnvs()
    expect(printed.map(({ message }) => message)).toEqual(['[redacted]', '[redacted]'])
  })

  it('applies the minimum level', () => {
    const { logs, printed } = collectLogs({ level: 'warn' })
    logs.logger.info('no')
    logs.logger.warn('yes')
    expect(printed.map(({ message }) => message)).toEqual(['yes'])
  })

  it('stores the published records in SQLite', async () => {
    const store = openSqliteStore({ file: ':memory:' })
    const { logs, printed } = collectLogs()
    await logs.storeIn(store.logs)
    for (let n = 0; n < 300; n++) logs.logger.info({ n }, 'many')
    await logs.close()
    const rows = await store.logs.list({}, { limit: 1000 })
    expect(rows.map(({ id }) => id)).toEqual(printed.map(({ id }) => id).toReversed())
    await store.close()
  })
})
