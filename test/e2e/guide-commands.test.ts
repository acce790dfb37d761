import { execa } from 'execa'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../support/process/free-port.ts'
import { NO_MODEL } from '../support/model/model-env.ts'
import { CliProject } from '../support/project/cli-project.ts'

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))
const TEMPLATE = path.join(REPOSITORY, 'templates/basic')
const COMMAND = `'${process.execPath}' '${path.join(REPOSITORY, 'bin/agentserver.js')}'`

/** The exit code of a command of a page, and what it prints; `later` if an execution continues after the command before. */
type Outcome = readonly [exitCode: number, prints: string | RegExp, when?: 'later']

/** A guide, followed in a project of the basic template. */
interface Guide {
  readonly page: string
  /** Imports of the configuration that the text of the page shows, if no block does. */
  readonly imports?: string
  /** The configuration, if it is not the first that the text of the page shows. */
  readonly config?: string
  /** The module that is saved before a command; the others are there at the start. */
  readonly savedLate?: { readonly module: string; readonly before: string }
  /** Files of other pages. */
  readonly files?: Readonly<Record<string, string>>
  /** Of each command of the page, in order, without those that serve. `undefined`: needs a network or a terminal. */
  readonly outcomes: readonly (Outcome | undefined)[]
}

const GUIDES: readonly Guide[] = [
  {
    page: 'guides/changing-code',
    outcomes: [[0, 'No executions are open.']],
  },
  {
    page: 'guides/mcp-client',
    files: {
      'handbook/agentserver.config.ts': read('examples/docs/handbook/agentserver.config.ts'),
      'rules.md': 'Be kind',
    },
    outcomes: [
      [0, 'No feedback'],
      undefined,
      [0, 'Ada'],
      [0, 'handbook://rules'],
      [0, 'Grace'],
      [0, '"name":"reply"'],
      [0, 'in a friendly tone, by the house rules: Why?'],
      [0, /"id":"handbook"[^}]*"status":"ready"/],
    ],
  },
  {
    page: 'guides/sub-agents',
    imports: "import { concierge } from './concierge.ts'",
    outcomes: [
      [0, ''],
      [0, /execute_tool ask_meteorologist[^]*invoke_agent meteorologist[^]*execute_tool forecast/],
    ],
  },
  {
    page: 'guides/evals',
    savedLate: { module: 'refunds.eval.ts', before: 'npx agentserver eval --record --save-baseline' },
    outcomes: [
      [0, 'cases/orders/large.json  1.00'],
      [0, 'cases/orders/large.json  1.00'],
      [0, ''],
      [0, '"status": "shipped"'],
      [0, '"workflow": "order"'],
      [0, 'Wrote cases/orders/small.json'],
      [0, '2 cases imported to cases/refunds'],
      [0, '1 case imported to cases/refunds'],
      [0, /refunds {2}1\.00 of at least 0\.9[^]*Baseline saved: cases\/\.baselines\/main\.json/],
      [0, /cases\/orders\/small\.json +1\.00/],
      [0, 'recordings to cases/.recordings'],
      [0, /refunds {2}1\.00 of at least 0\.9/],
    ],
  },
  {
    page: 'guides/retries-and-idempotency',
    outcomes: [
      [0, '"paid": true'],
      [0, /^pay +completed +2 /m],
    ],
  },
  {
    page: 'guides/workflows',
    imports: `
      import { order } from './order.ts'
      import { booking } from './booking.ts'
      import { sync } from './limits.ts'
      import { fulfilment } from './payment.ts'
      import { importFile } from './import.ts'
    `,
    outcomes: [
      [0, '"label": "north-A-1"'],
      [0, '"status":"completed"'],
      [0, 'charge-600: No carrier delivers to FR'],
      [0, 'order-shipped'],
      [0, '"type":"workflow-result"'],
      [0, /^ship +completed +1 /m],
      [0, /✓.*large-order/],
      [0, 'order-A-1'],
      [3, 'fulfilment is suspended'],
      [0, '1 execution resumed'],
      [0, '"resumed":[]'],
      [3, 'import is suspended'],
      [0, 'import-1'],
      [0, '1 would be cancelled'],
      [0, '1 of 1 cancelled'],
      [3, /breakpoint[^]*"taxCents":95/],
      [3, 'large-order: breakpoint'],
      [3, 'discount: breakpoint'],
      [0, '"label": "north-A-3"'],
    ],
  },
  {
    page: 'guides/events',
    imports: `
      import { shipment } from './shipment.ts'
      import { parcel } from './parcel.ts'
      import { reindex } from './reindex.ts'
    `,
    outcomes: [
      [0, '1 execution started'],
      [0, /completed/],
      [0, '"started":["code:shipment:order-A-2"]'],
      [3, 'parcel is suspended'],
      [0, '1 execution cancelled'],
    ],
  },
  {
    page: 'guides/from-temporal',
    imports: "import { meal } from './food-delivery.ts'",
    outcomes: [
      [3, 'step  accept: The restaurant accepts Ramen'],
      [3, 'meal is suspended'],
      [0, '1 execution resumed'],
      [0, /^tell-picked-up +completed/m, 'later'],
    ],
  },
  {
    page: 'getting-started',
    outcomes: [
      ...Array.from({ length: 8 }, () => undefined),
      [0, '"paid": true'],
      [0, '"status":"completed"'],
      [3, 'expense is suspended'],
      [0, 'Amounts above 100 need approval'],
      [0, '"approvedBy": "Grace"'],
      [0, /step-skipped[^]*workflow-result/],
      [0, 'on its way'],
      [0, 'on its way'],
      [3, 'expense is suspended'],
      undefined,
      undefined,
    ],
  },
  {
    page: 'tutorial',
    outcomes: [
      undefined,
      [0, 'on its way'],
      [0, /"refunded": 40/],
      [3, 'Refunds above 100 need approval'],
      [0, '"reference": "refund-1:pay"'],
      [0, /status +completed[^]*pay +completed/],
      // runs the tests of the project
      undefined,
      [0, 'daily-report'],
      [0, '"success":true'],
    ],
  },
  {
    page: 'observability',
    imports: "import { charge } from './charge.ts'",
    config: 'defineConfig({ workflows: [charge] })',
    outcomes: [
      [0, ''],
      undefined,
      [0, ''],
      [0, ''],
      [0, '"success":true'],
      [0, '"indexedUntil"'],
      [0, 'Saved SERVICE_PUBLIC_KEY'],
      undefined,
      undefined,
    ],
  },
  {
    page: 'guides/a2a',
    imports: "import { support } from './support.ts'",
    files: { 'support.ts': read('examples/docs/support.ts') },
    outcomes: [undefined, [0, /"state":"TASK_STATE_COMPLETED"[^]*on its way/]],
  },
  {
    page: 'guides/openai',
    imports: "import { support } from './support.ts'",
    files: { 'support.ts': read('examples/docs/support.ts') },
    outcomes: [
      undefined,
      [0, /"object":"chat.completion"[^]*on its way/],
      [0, '"id":"support","object":"model"'],
    ],
  },
  {
    page: 'guides/agents',
    imports: "import { planner } from './planner.ts'",
    outcomes: [
      [0, /find-trains returned .*"euros":49[^]*→ find-trains .*"from":"Ulm"/],
      [0, /"status":"completed".*"toolName":"find-trains"/],
      undefined,
      [0, '"finishReason":"stop"'],
      // the ids of the page are those of other runs
      [0, 'Run not found: 01a2238c-0203-7281-85a4-439822c8ea81'],
      [0, /"reason":"breakpoint".*"toolName":"find-trains"/],
      [0, 'Run not found: 01a223bc-357f-732e-a99c-c7e19d7df32e'],
    ],
  },
  {
    page: 'guides/approvals',
    imports: "import { clerk } from './clerk.ts'",
    outcomes: [
      [0, ''],
      [0, /toolName: 'refund',\s+input: \{ orderId: 'A-1', cents: 9000 \}/],
      [0, /"finishReason":"stop".*"refundId":"refund-A-1","cents":5000/],
      [0, ''],
      [0, /stepId: 'answer'[^]*question: 'Which order\?'/],
      [0, 'ask-user returned A-1'],
    ],
  },
  {
    page: 'guides/custom-routes',
    outcomes: [
      [0, ''],
      [0, '"note":"Buy milk"'],
    ],
  },
  {
    page: 'guides/human-approval',
    imports: `
      import { purchase } from './purchase.ts'
      import { refund } from './refund.ts'
    `,
    config: 'defineConfig({ workflows: [purchase, refund] })',
    outcomes: [
      [3, 'purchase is suspended'],
      [0, '"orderNumber": "desk-1:if-approved/order"'],
      [0, '"status":"suspended"'],
      [0, '"orderNumber":"lamp-1:if-approved/order"'],
      [3, 'refund is suspended'],
      [0, '"resumeUrl":"http://127.0.0.1:'],
    ],
  },
  {
    page: 'guides/memory',
    imports: `
      import { assistant, translator } from './assistant.ts'
      import { companion } from './companion.ts'
    `,
    outcomes: [
      [0, 'My name is Ada'],
      [0, 'What is my name?'],
      [0, '"language":"German"'],
      [0, '"messageCount":4'],
      [0, 'My name is Ada'],
    ],
  },
  {
    page: 'guides/costs',
    outcomes: [[0, /HTTP\/1\.1 200/]],
  },
  {
    page: 'guides/schedules',
    imports: "import { dailyReport, report } from './report.ts'",
    outcomes: [
      [0, 'daily-report'],
      [0, ''],
      [0, '"success":true'],
      [0, '"success":true'],
    ],
  },
  {
    page: 'guides/starting-from-code',
    outcomes: [
      [0, /^\{"text":".*shipped/],
      [0, '{"order":7,"status":"shipped"}'],
      [0, /^\{"executionId":"[\w-]+"\}/],
      // the server has the database
      undefined,
    ],
  },
  {
    page: 'guides/structured-output',
    imports: "import { classifier, triage } from './ticket.ts'",
    outcomes: [[0, /"object":\{"category":"\w+","urgent":(?:true|false)\}/]],
  },
  {
    page: 'guides/tools',
    imports: "import { lookupOrder } from './lookup-order.ts'",
    config: 'defineConfig({ tools: [lookupOrder] })',
    outcomes: [
      [0, 'A-1 is on its way'],
      [0, 'A-1 is on its way'],
    ],
  },
  {
    page: 'guides/webhooks',
    files: { '.env': 'WEBHOOK_SECRET=change-me' },
    outcomes: [[0, /HTTP\/1\.1 202/]],
  },
]

/** Pages whose commands need a network, a container or a machine of their own, run the project's tests, or only start a server. */
const NOT_FOLLOWED = [
  'existing-project',
  'guides/ag-ui',
  'guides/files',
  'guides/from-mastra',
  'guides/from-voltagent',
  'guides/front-end',
  'guides/hot-reload',
  'guides/retrieval',
  'guides/testing',
]

describe('the commands of the documentation', () => {
  it('are run by this test, those of its deployment apart', () => {
    const pages = fs
      .readdirSync(path.join(REPOSITORY, 'docs'), { recursive: true, encoding: 'utf8' })
      .map((name) => name.replaceAll('\\', '/'))
      .filter((name) => name.endsWith('.md') && !/^(?:deployment|reference)\//.test(name))
      .filter((name) => read(`docs/${name}`).includes('\n```sh\n'))
    const followed = GUIDES.map(({ page }) => page)
    expect(pages.toSorted()).toEqual([...followed, ...NOT_FOLLOWED].map((page) => `${page}.md`).toSorted())
  })
})

describe.each(GUIDES)(
  'the guide $page',
  ({ page, imports, config: given, savedLate, files = {}, outcomes }) => {
    const project = new CliProject()
    const text = read(`docs/${page}.md`)
    const commands = commandsOf(text).filter((line) => !line.startsWith('npx agentserver dev'))
    let ports: Readonly<Record<string, string>> = {}
    const onPorts = (source: string) => source.replaceAll(/314[12]/g, (port) => ports[port] ?? port)

    beforeAll(async () => {
      ports = { 3141: String(await freePort()), 3142: String(await freePort()) }
      project.delete('src')
      fs.cpSync(TEMPLATE, project.root, {
        recursive: true,
        filter: (file) => !/node_modules|\.agentserver/.test(path.relative(TEMPLATE, file)),
      })
      const config = given ?? /`(defineConfig\(.*?\))`/.exec(text)?.[1]
      if (imports !== undefined)
        project.write({
          'agentserver.config.ts': `import { defineConfig } from 'agentserver'\n${imports}\nexport default ${config}`,
        })
      const shown = { ...files, ...filesOf(text) }
      for (const [name, source] of Object.entries(shown))
        if (name !== savedLate?.module) project.write({ [name]: onPorts(source) })
      // in the order of the page: the server of another project comes first
      for (const line of commandsOf(text)) if (line.startsWith('npx agentserver dev')) await serve(line)
      if (!text.includes('\n```sh\nnpx agentserver dev\n```')) await serve('npx agentserver dev')
    })
    afterAll(() => project.end())

    async function serve(line: string): Promise<void> {
      const args = onPorts(line).split(' ').slice(3)
      await project.serve('dev', {
        args: args.includes('--port') ? args : [...args, '--port', ports['3141'] ?? ''],
        env: NO_MODEL,
      })
    }

    it('has the commands that this test expects', () => {
      expect(commands).toHaveLength(outcomes.length)
    })

    const runs = commands.flatMap((line, index) => {
      const outcome = outcomes[index]
      return outcome === undefined ? [] : [{ line, outcome }]
    })
    it.each(runs)('$line', async ({ line, outcome: [exitCode, prints, when] }) => {
      if (savedLate !== undefined && line.startsWith(savedLate.before))
        project.write({ [savedLate.module]: filesOf(text)[savedLate.module] ?? '' })
      const run = async () => {
        const ended = await typed(onPorts(line), project)
        const printed = `${ended.stdout}\n${ended.stderr}`
        expect({ exitCode: ended.exitCode, printed }).toEqual({ exitCode, printed })
        return printed
      }
      if (when === 'later') await expect.poll(run).toMatch(prints)
      else expect(await run()).toMatch(prints)
    })
  },
)

/** Runs a line as it is typed into a shell. */
async function typed(line: string, project: CliProject) {
  const words = await wordsOf(line)
  if (words?.[0] === 'agentserver') return project.run(words.slice(1), { env: NO_MODEL })
  return execa('bash', ['-c', line.replaceAll('npx agentserver', COMMAND)], {
    cwd: project.root,
    reject: false,
    stdin: 'ignore',
    env: { NODE_ENV: undefined, FORCE_COLOR: undefined, PORT: undefined, HOST: undefined, ...NO_MODEL },
  })
}

/** The words after `npx`, as the shell splits them. Undefined if the line is more than one command with its arguments. */
async function wordsOf(line: string): Promise<string[] | undefined> {
  if (!line.startsWith('npx ') || /[$`]/.test(line)) return undefined
  if (/[|<>;&]/.test(line.replaceAll(/'[^']*'|"[^"]*"/g, ''))) return undefined
  const { stdout } = await execa('bash', ['-c', `npx() { printf '%s\\0' "$@"; }\n${line}`])
  return stdout.split('\0').slice(0, -1)
}

function read(file: string): string {
  return fs.readFileSync(path.join(REPOSITORY, file), 'utf8')
}

/** The blocks that name their file, by path, relative to their folder in the examples. */
function filesOf(text: string): Record<string, string> {
  const named = [...text.matchAll(/^```\w+ title="(\S+)"\n(.*?)^```$/gms)]
  return Object.fromEntries(
    named.map(([, name = '', body = '']) => [name.replace(/^examples\/docs\/(?:[\w-]+\/)?/, ''), body]),
  )
}

/** The commands of the shell blocks, each on a line. A block that sets a variable is one command. */
function commandsOf(text: string): string[] {
  const scripts = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, body = '']) =>
    body.replaceAll(/\\\n\s*/g, '').trim(),
  )
  return scripts.flatMap((script) => {
    if (script.startsWith('# .env')) return []
    return /^\w+=(?:\S+|\$\(.*\))$/m.test(script) ? [script] : joinQuoted(script.split('\n'))
  })
}

/** A text in quotes may have several lines. */
function joinQuoted(lines: readonly string[]): string[] {
  const joined: string[] = []
  let open = ''
  for (const line of lines) {
    open = open === '' ? line : `${open}\n${line}`
    if (open.split("'").length % 2 === 0) continue
    if (open !== '') joined.push(open)
    open = ''
  }
  return joined
}
