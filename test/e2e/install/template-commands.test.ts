import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COMMANDS } from '../../../src/cli/command-table.ts'
import { NO_MODEL } from '../../support/model/model-env.ts'
import { CliProject, type RunningServer } from '../../support/project/cli-project.ts'

const TEMPLATE = fileURLToPath(new URL('../../../templates/basic', import.meta.url))

const MUG = '{"orderId":"A-1","email":"ada@example.com","items":[{"sku":"mug","quantity":2}]}'
const DESK = '{"orderId":"A-2","email":"ada@example.com","items":[{"sku":"desk","quantity":1}]}'
/** Nothing listens there. */
const OFFLINE = { npm_config_registry: 'http://127.0.0.1:9/' }
const NO_POSTGRES = 'postgres://nobody:none@127.0.0.1:9/none'

interface Run {
  readonly args: readonly string[]
  readonly exitCode: number
  /** Text that is printed, on stdout or stderr. */
  readonly prints: string | RegExp
  readonly env?: Readonly<Record<string, string>>
}

const run = (args: string, exitCode: number, prints: string | RegExp, more: readonly string[] = []): Run => ({
  args: [...args.split(' '), ...more],
  exitCode,
  prints,
})

/**
 * One run of every command, in this order: later ones use what earlier ones have made. Commands that the template has
 * no object for (no tool, no schedule, a database that is served) say so.
 */
const RUNS: readonly Run[] = [
  run('init more --no-install', 0, /Next:\n {2}cd more\n/),
  run('doctor', 0, 'agentserver.config.ts is valid: 2 workflows, 1 agent, 0 tools'),
  run('list workflows', 0, /^order .*\n[^]*ship-order/m),
  run('completion bash', 0, 'complete -F'),
  run('routes', 0, /^POST +\/workflows\/:id\/execute +user +everyone$/m),
  run('run-workflow order --execution-id first --input', 0, '"status": "shipped"', [MUG]),
  run('stream-workflow order --input', 0, 'workflow-complete', [MUG]),
  run('run-workflow order --execution-id large --input', 3, 'order is suspended', [DESK]),
  run('state large', 0, 'over the limit'),
  run('check', 0, '✓ order: 1 fit'),
  run('resume-workflow order large --data', 0, '"status": "shipped"', ['{"approved":true}']),
  run('run-workflow order --execution-id unwanted --input', 3, 'order is suspended', [DESK]),
  run('suspend-workflow order unwanted', 2, 'unwanted is suspended'),
  run('cancel-workflow order unwanted', 0, 'cancelled'),
  run('replay-workflow order first --step total', 0, '"status": "shipped"'),
  run('send-event payment A-1', 0, 'sent, 0 executions resumed'),
  run('trigger-schedule nightly', 2, 'The configuration declares no schedules'),
  run('run-tool lookup --input {}', 2, 'The configuration declares no tools'),
  run('chat support --input', 0, 'demo', ['Good morning']),
  run('keep-case first --yes', 0, 'cases/order/first.json'),
  run('prove order --case cases/order/first.json', 0, 'nothing is repeated, changed or left open'),
  run('eval', 0, 'cases/order/first.json  1.00'),
  run('import-cases rows.csv --target workflow:order', 0, '1 case'),
  run('logs', 0, 'order decided'),
  run('failures --exit-code', 0, 'No failures are open'),
  run('trace first', 0, /^.*✓.*charge/m),
  run('setup-observability --public-key pk-1 --secret-key sk-1', 0, 'Saved SERVICE_PUBLIC_KEY'),
  { ...run('check-updates', 4, 'The package registry is unreachable'), env: OFFLINE },
  run('backup copy.db', 0, 'copy.db'),
  run('migrate', 0, 'a SQLite database is migrated by the server that opens it'),
  run('erase --user nobody --yes', 0, 'nobody'),
  run(`move --to ${NO_POSTGRES}`, 2, 'is in use by process'),
]

/** Commands that run with the server off. */
const WITHOUT_SERVER: readonly Run[] = [run('restore copy.db', 0, 'Restored')]

/** Commands that serve until they are stopped. */
const SERVING = ['dev', 'start', 'mcp'] as const

describe('every command of the table in a project of the basic template', () => {
  const project = new CliProject()
  let server: RunningServer

  beforeAll(async () => {
    project.delete('src')
    fs.cpSync(TEMPLATE, project.root, {
      recursive: true,
      filter: (file) => !/node_modules|\.agentserver/.test(path.relative(TEMPLATE, file)),
    })
    project.write({ 'rows.csv': `input\n"${MUG.replaceAll('"', '""')}"\n` })
    server = await project.serve('dev', { env: NO_MODEL })
  })
  afterAll(() => project.end())

  /** What a command prints, when it ends as expected. */
  const printedBy = async ({ args, exitCode, env = {} }: Run): Promise<string> => {
    const ended = await project.launch(args, { env: { ...NO_MODEL, ...env } })
    const printed = `${ended.stdout}\n${ended.stderr}`
    expect({ exitCode: ended.exitCode, printed }).toEqual({ exitCode, printed })
    // an error of the program itself, not one that it reports
    expect(printed).not.toMatch(/TypeError|Cannot (?:read|destructure)|is not a function|^ +at /m)
    return printed
  }

  it('is run by this test', () => {
    const tested = [...SERVING, ...[...RUNS, ...WITHOUT_SERVER].map(({ args }) => args[0])]
    expect(new Set(tested)).toEqual(new Set(Object.keys(COMMANDS)))
  })

  it.each(RUNS.map((one) => [one.args.join(' '), one] as const))('%s', async (_, one) => {
    expect(await printedBy(one)).toMatch(one.prints)
  })

  it('chat and run-workflow print the page of the console', async () => {
    const { stderr } = await project.run(['chat', 'support', '--input', 'Hi'], { env: NO_MODEL })
    const link = stderr.match(/http:\S+/)?.[0] ?? ''
    expect(link).toMatch(new RegExp(`^${server.url}/?console/agents/support\\?tab=history&run=[\\w-]+$`))
    const [{ id }] = (await server.get('/agents/support/history')).data
    expect(new URL(link).searchParams.get('run')).toBe(id)
    const kept = await project.run(
      ['chat', 'support', '--input', 'Hi', '--conversation', 'c-1', '--user', 'ada'],
      {
        env: NO_MODEL,
      },
    )
    expect(kept.stderr).toContain('console/agents/support?conversation=c-1&user=ada')
  })

  it('start serves what dev has stored', async () => {
    await server.kill('SIGTERM')
    for (const one of WITHOUT_SERVER) expect(await printedBy(one)).toMatch(one.prints)
    const started = await project.serve('start', { env: { ...NO_MODEL, NODE_ENV: 'production' } })
    expect((await fetch(new URL('/healthz', started.url))).status).toBe(200)
    await started.kill('SIGTERM')
  })
})
