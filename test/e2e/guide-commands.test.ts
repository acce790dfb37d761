import { execa } from 'execa'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../support/process/free-port.ts'
import { BIN } from '../support/process/command-here.ts'
import { NO_MODEL } from '../support/model/model-env.ts'
import { CliProject } from '../support/project/cli-project.ts'
import { linkPackages } from '../support/project/packed-package.ts'

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))
const TEMPLATE = path.join(REPOSITORY, 'templates/basic')
const COMMAND = `'${process.execPath}' '${BIN}'`

/** How a page is followed, where the defaults do not do: a project of the basic template, and each command ends with 0. */
interface Following {
  /** Imports of the configuration that the text of the page shows, if no block does. */
  readonly imports?: string
  /** The configuration, if it is not the first that the text of the page shows. */
  readonly config?: string
  /** The module that is saved before a command; the others are there at the start. */
  readonly savedLate?: { readonly module: string; readonly before: string }
  /** Files that the page expects. */
  readonly files?: Readonly<Record<string, string>>
  /** Packages that programs of the page import, which Node starts itself. */
  readonly packages?: readonly string[]
  /** Commands that run before a command, by its beginning. */
  readonly before?: Readonly<Record<string, string>>
  /** Exit codes other than 0, by the beginning of the command. */
  readonly exits?: Readonly<Record<string, number>>
  /** Why commands are not run, by their beginning. */
  readonly notRun?: Readonly<Record<string, string>>
  /** Why the output that is shown is another one, by the beginning of the command. */
  readonly otherOutput?: Readonly<Record<string, string>>
}

/** Commands that no test runs, and why. A command that fits none is run. */
const NOT_RUN: readonly (readonly [RegExp, string])[] = [
  [/^npx agentserver (?:dev|start)\b/, 'serves: the test has started it'],
  [/^\w+=\S+ .*npx agentserver dev$/, 'serves, and needs a collector'],
  [/^(?:npm|npx agentserver check-updates)\b/m, 'needs the npm registry'],
  [/^npx agentserver init\b(?!.* --no-install)/, 'needs the npm registry'],
  [/^docker\b/m, 'needs Docker'],
  [/^(?:fly|railway|kubectl)\b/m, 'needs an account of the platform'],
  [/^(?:sudo|journalctl)\b|\| sudo /m, 'needs root and systemd'],
  [/^open /, 'needs a browser'],
  [/^pg_/m, 'needs the tools of Postgres'],
  [/^(?:DATABASE_URL=\S+ )?npx agentserver (?:migrate|move)\b/m, 'needs Postgres'],
  [/^npx agentserver logs -f\b/, 'does not end'],
  [/^npx agentserver chat [a-z]+(?: +#.*)?$/, 'needs a terminal'],
  [/^npx agentserver restore\b/, 'the server of the test has the database'],
]

const SUPPORT = {
  imports: "import { support } from './support.ts'",
  files: { 'support.ts': read('examples/docs/support.ts') },
}

const FOLLOWED: Readonly<Record<string, Following>> = {
  'deployment/backup-and-restore': { notRun: { '0 3 * * *': 'is a line of a crontab' } },
  'deployment/deleting-data': { exits: { 'npx agentserver erase': 2 } },
  'guides/a2a': SUPPORT,
  'guides/agents': { imports: "import { planner } from './planner.ts'" },
  'guides/ag-ui': SUPPORT,
  'guides/approvals': { imports: "import { clerk } from './clerk.ts'" },
  'guides/auth': { files: { 'expense.ts': read('examples/docs/expense.ts') } },
  'guides/changing-code': {
    otherOutput: {
      'npx agentserver check': 'is that of a project with open executions whose code has changed',
    },
  },
  'guides/coding-agents': {
    imports: "import { payout } from './payout.ts'",
    exits: { 'npx agentserver run-workflow payout': 1 },
  },
  'guides/costs': { otherOutput: { 'curl -si': 'is that of the request with which the budget is used up' } },
  'guides/embedding': { packages: ['zod'] },
  'guides/evals': {
    savedLate: { module: 'refunds.eval.ts', before: 'npx agentserver eval --record --save-baseline' },
  },
  'guides/events': {
    imports: `
      import { welcome } from './welcome.ts'
      import { shipment } from './shipment.ts'
      import { parcel } from './parcel.ts'
      import { reindex } from './reindex.ts'
    `,
    exits: { 'npx agentserver run-workflow parcel': 3 },
  },
  'guides/from-temporal': {
    imports: "import { meal } from './food-delivery.ts'",
    exits: { 'npx agentserver run-workflow meal': 3, 'npx agentserver resume-workflow meal': 3 },
  },
  'guides/functions': {
    imports: `
      import { greet } from './greet.ts'
      import { order } from './order.ts'
    `,
    exits: { 'npx agentserver run-workflow order': 3 },
  },
  'guides/guardrails': { imports: "import { support } from './support.ts'" },
  'guides/human-approval': {
    imports: `
      import { leave } from './leave.ts'
      import { purchase } from './purchase.ts'
      import { refund } from './refund.ts'
    `,
    exits: { 'npx agentserver run-workflow': 3 },
  },
  'guides/mcp-client': {
    files: {
      'handbook/agentserver.config.ts': read('examples/docs/handbook/agentserver.config.ts'),
      'rules.md': 'Be kind',
    },
    notRun: { 'npx agentserver run-tool files_list_directory': 'downloads an MCP server' },
  },
  'guides/mcp-server': {
    files: filesBelow('examples/docs', ['expense.ts', 'lookup-order.ts', 'support.ts']),
  },
  'guides/memory': {
    imports: `
      import { assistant, translator } from './assistant.ts'
      import { companion } from './companion.ts'
    `,
  },
  'guides/front-end': {
    files: filesBelow('examples/chat-frontend', ['agentserver.config.ts', 'src']),
    notRun: { 'npx vite': 'serves the page in a browser' },
  },
  'guides/files': SUPPORT,
  'guides/models': {
    imports: "import { available, demo, exact, flexible, named } from './agents.ts'",
    config: 'defineConfig({ agents: [flexible, named, exact, available, demo] })',
  },
  'guides/openai': SUPPORT,
  'guides/retrieval': { imports: "import { clerk } from './clerk.ts'" },
  'guides/sagas': {
    imports: "import { trip } from './trip.ts'",
    exits: { 'npx agentserver run-workflow trip': 1 },
  },
  'guides/schedules': { imports: "import { dailyReport, report } from './report.ts'" },
  'guides/starting-from-code': { notRun: { 'node seed.ts': 'the server of the test has the database' } },
  'guides/structured-output': { imports: "import { classifier, triage } from './ticket.ts'" },
  'guides/sub-agents': { imports: "import { concierge } from './concierge.ts'" },
  'guides/testing': {
    notRun: { 'npx vitest': 'the tests of the page are run with those of the repository' },
  },
  'guides/tools': {
    imports: "import { lookupOrder } from './lookup-order.ts'",
    config: 'defineConfig({ tools: [lookupOrder] })',
  },
  'guides/webhooks': { files: { '.env': 'WEBHOOK_SECRET=change-me' } },
  'guides/workflows': {
    imports: `
      import { greet } from './greet.ts'
      import { order } from './order.ts'
      import { booking } from './booking.ts'
      import { sync } from './limits.ts'
      import { fulfilment } from './payment.ts'
      import { importFile } from './import.ts'
    `,
    exits: {
      'npx agentserver run-workflow fulfilment': 3,
      'npx agentserver run-workflow import': 3,
      'npx agentserver run-workflow order --execution-id order-A-3': 3,
      "npx agentserver resume-workflow order order-A-3 --pause-at '*'": 3,
      'npx agentserver resume-workflow order order-A-3 --step-data': 3,
    },
  },
  'existing-project': { files: filesBelow('examples/docs', ['expense.ts', 'support.ts']) },
  'getting-started': {
    exits: { 'npx agentserver run-workflow expense --execution-id': 3 },
    notRun: { 'mkdir ../my-app': 'is what the test has done', 'cd ': 'is what the test has done' },
  },
  tutorial: {
    exits: { 'npx agentserver run-workflow refund --execution-id': 3 },
    notRun: { 'npx vitest': 'runs the tests of the project' },
  },
  'reference/cli': {
    files: filesBelow('examples/docs/cli', ['.']),
    before: {
      'npx agentserver suspend-workflow': `curl -s http://127.0.0.1:3141/workflows/order/execute -H 'Prefer: respond-async' \
        -H 'traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' -H 'Content-Type: application/json' \
        -d '{"input":{"orderId":"pallet-2","amount":40},"options":{"executionId":"order-A-2"}}'`,
    },
    // the first that fits counts; without a terminal, nobody is asked
    exits: {
      'npx agentserver run-workflow order --execution-id order-A-1': 3,
      'npx agentserver run-workflow order --input -': 3,
      'npx agentserver resume-workflow order order-A-1 --accept-changes': 0,
      'npx agentserver resume-workflow order order-A-1': 3,
      'npx agentserver replay-workflow order order-A-1 --step charge --input': 0,
      'npx agentserver replay-workflow order order-A-1': 3,
      'npx agentserver keep-case order-A-1 --name': 0,
      'npx agentserver keep-case order-A-1 --dry-run': 0,
      'npx agentserver keep-case order-A-1': 2,
      'npx agentserver setup-observability --': 0,
      'npx agentserver setup-observability': 2,
      'npx agentserver erase --user ann@': 0,
      'npx agentserver erase': 2,
    },
  },
  observability: {
    imports: "import { charge } from './charge.ts'",
    config: 'defineConfig({ workflows: [charge] })',
  },
}

interface Block {
  readonly commands: readonly string[]
  /** The output that the page shows, and its language. */
  readonly shown?: { readonly language: string; readonly text: string }
}

const PAGES = fs
  .readdirSync(path.join(REPOSITORY, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .map((name) => name.replaceAll('\\', '/').replace(/\.md$/, ''))
  .map((page) => ({ page, text: read(`docs/${page}.md`), following: FOLLOWED[page] ?? {} }))
  .map((page) => ({ ...page, blocks: blocksOf(page.text) }))
  .filter(({ blocks }) => blocks.length > 0)

/** Why a command is not run. */
function reasonOf(command: string, { notRun = {} }: Following): string | undefined {
  return valueFor(notRun, command) ?? NOT_RUN.find(([pattern]) => pattern.test(command))?.[1]
}

function valueFor<T>(values: Readonly<Record<string, T>>, command: string): T | undefined {
  return Object.entries(values).find(([start]) => command.startsWith(start))?.[1]
}

describe('the table of this test', () => {
  it('has exceptions for commands that are there, and pages that are there', () => {
    const commands = PAGES.flatMap(({ page, blocks }) =>
      blocks.flatMap((block) => block.commands.map((command) => ({ page, command }))),
    )
    const unused = Object.entries(FOLLOWED).flatMap(([page, { before, exits, notRun, otherOutput }]) =>
      ['', ...Object.keys({ ...before, ...exits, ...notRun, ...otherOutput })]
        .filter((start) => !commands.some((one) => one.page === page && one.command.startsWith(start)))
        .map((start) => `${page}: ${start}`),
    )
    const idle = NOT_RUN.filter(([pattern]) => !commands.some(({ command }) => pattern.test(command)))
    expect({ unused, idle }).toEqual({ unused: [], idle: [] })
  })
})

const followed = PAGES.filter(({ blocks, following }) =>
  blocks.some(({ commands }) => commands.some((command) => reasonOf(command, following) === undefined)),
)

describe.each(followed)('the page $page', ({ text, blocks, following }) => {
  const {
    imports,
    config: given,
    savedLate,
    files = {},
    packages,
    before = {},
    exits = {},
    otherOutput = {},
  } = following
  const project = new CliProject()
  let ports: Readonly<Record<string, string>> = {}
  const here = (source: string) =>
    source
      .replaceAll(/314[12]/g, (port) => ports[port] ?? port)
      .replaceAll('/var/backups', project.path('backups'))

  beforeAll(async () => {
    ports = { 3141: String(await freePort()), 3142: String(await freePort()) }
    project.delete('src')
    fs.cpSync(TEMPLATE, project.root, {
      recursive: true,
      filter: (file) => !/node_modules|\.agentserver/.test(path.relative(TEMPLATE, file)),
    })
    if (packages !== undefined) {
      project.delete('node_modules')
      linkPackages(project.root, packages)
      fs.symlinkSync(REPOSITORY, project.path('node_modules/agentserver'), 'junction')
    }
    for (const folder of ['backups', 'home/.zfunc', 'home/.config/fish/completions'])
      fs.mkdirSync(project.path(folder), { recursive: true })
    const config = given ?? /`(defineConfig\(.*?\))`/.exec(text)?.[1]
    if (imports !== undefined)
      project.write({
        'agentserver.config.ts': `import { defineConfig } from 'agentserver'\n${imports}\nexport default ${config}`,
      })
    const shown = { ...files, ...filesOf(text) }
    for (const [name, source] of Object.entries(shown))
      if (name !== savedLate?.module) project.write({ [name]: here(source) })
    // in the order of the page: the server of another project comes first
    const others = blocks.flatMap(({ commands }) =>
      commands.filter((line) => /^npx agentserver dev .*--port 3142/.test(line)),
    )
    for (const line of [...others, 'npx agentserver dev --port 3141']) await serve(line)
  })
  afterAll(() => project.end())

  async function serve(line: string): Promise<void> {
    await project.serve('dev', { args: here(line).split(' ').slice(3), env: NO_MODEL })
  }

  /** The output as on the machine of a reader. */
  const asTyped = (output: string) =>
    output
      .replaceAll(`node ${BIN}`, 'npx agentserver')
      .replaceAll(/See \S*docs\/(?=\w+\.md)/g, 'See node_modules/agentserver/docs/')
      .replaceAll(project.path('backups'), '/var/backups')
      .replaceAll(project.root, '/home/ada/my-app')

  const runs = blocks
    .map(({ commands, shown }) => ({
      lines: commands.filter((line) => reasonOf(line, following) === undefined),
      shown,
    }))
    .filter(({ lines }) => lines.length > 0)
    .map((run) => ({ ...run, title: run.lines.join('; ') }))
  it.each(runs)('$title', async ({ lines, shown }) => {
    const printed: string[] = []
    for (const line of lines) {
      if (savedLate !== undefined && line.startsWith(savedLate.before))
        project.write({ [savedLate.module]: filesOf(text)[savedLate.module] ?? '' })
      const first = valueFor(before, line)
      if (first !== undefined) await typed(here(first), project)
      const { exitCode, all } = await typed(here(line), project)
      expect({ line, exitCode, all }).toEqual({ line, exitCode: valueFor(exits, line) ?? 0, all })
      printed.push(all)
    }
    if (shown === undefined || valueFor(otherOutput, lines[0] ?? '') !== undefined) return
    const real = asTyped(printed.join('\n'))
    expectShown(shown, real)
  })
})

/** What differs from run to run, by the mark that replaces it on both sides. */
const VARYING: readonly (readonly [RegExp, string])[] = [
  [/\r/g, ''],
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, '<uuid>'],
  [/\b[0-9a-f]{32}\b/g, '<trace>'],
  [/\bcall_[0-9a-f]+/g, '<call>'],
  [/\baitxt-\w+/g, '<approval>'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '<time>'],
  [/\b\d+(?:\.\d+)? ?m?s\b/g, '<duration>'],
  [/("\w+Ms":) ?[\d.]+/g, '$1 <duration>'],
  [/^\d\d:\d\d:\d\d(?= )/gm, '<clock>'],
  [/^Date: .* GMT$/gm, 'Date: <date>'],
  [/"spanId":"[0-9a-f]{16}"/g, '"spanId":"<span>"'],
  [/ *━+ */g, ' ━ '],
  [/\b(?:127\.0\.0\.1|localhost):\d+/g, '<server>'],
  // columns are as wide as their widest value
  [/(?<=\S) {2,}/g, '  '],
]

/** The output of a page is the real one. `…` stands for a part that is left out. */
function expectShown({ language, text }: { language: string; text: string }, printed: string): void {
  const normalise = (output: string) => {
    const marked = VARYING.reduce(
      (result, [pattern, mark]) => result.replaceAll(pattern, mark),
      output.trim(),
    )
    return language === 'json' ? marked.replaceAll(/\s+/g, '') : marked.replaceAll(/ +$/gm, '')
  }
  const [expected, real] = [normalise(text), normalise(printed)]
  const parts = expected.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  if (!new RegExp(`^${parts.join('[^]*?')}$`).test(real)) expect(real).toBe(expected)
}

/** Runs a line as it is typed into a shell, after those that have set variables. */
async function typed(
  line: string,
  project: CliProject,
): Promise<{ exitCode: number | undefined; all: string }> {
  const variables = project.path('.variables')
  const before = fs.existsSync(variables) ? `. ${quoted(variables)}\n` : ''
  const words = await wordsOf(line, before)
  // mcp reads the stdin of its process until it ends
  if (words?.[0] === 'agentserver' && words[1] !== 'mcp')
    return project.run(words.slice(1), { env: NO_MODEL })
  const names = [...line.matchAll(/^(?:export )?(\w+)=/gm)].map(([, name = '']) => name)
  const after = names.length > 0 ? `\ndeclare -p ${names.join(' ')} >> ${quoted(variables)}` : ''
  const script = line.replaceAll('npx agentserver', COMMAND)
  const { exitCode, all } = await execa('bash', ['-c', `${before}${script}${after}`], {
    cwd: project.root,
    reject: false,
    stdin: 'ignore',
    all: true,
    env: {
      NODE_ENV: undefined,
      FORCE_COLOR: undefined,
      PORT: undefined,
      HOST: undefined,
      HOME: project.path('home'),
      ...NO_MODEL,
    },
  })
  return { exitCode, all }
}

function quoted(text: string): string {
  return `'${text}'`
}

/** The words after `npx`, as the shell splits them. Undefined if the line is more than one command with its arguments. */
async function wordsOf(line: string, before: string): Promise<string[] | undefined> {
  if (!line.startsWith('npx ') || /\$\(|`/.test(line)) return undefined
  if (/[|<>;&\n]/.test(line.replaceAll(/'[^']*'|"[^"]*"/g, ''))) return undefined
  const { stdout } = await execa('bash', ['-c', `${before}npx() { printf '%s\\0' "$@"; }\n${line}`])
  return stdout.split('\0').slice(0, -1)
}

function read(file: string): string {
  return fs.readFileSync(path.join(REPOSITORY, file), 'utf8')
}

/** Files and folders of a folder, with their texts. */
function filesBelow(folder: string, names: readonly string[]): Record<string, string> {
  const root = path.join(REPOSITORY, folder)
  const files = names.flatMap((name) =>
    fs.statSync(path.join(root, name)).isFile()
      ? [name]
      : fs
          .readdirSync(path.join(root, name), { recursive: true, encoding: 'utf8' })
          .map((below) => path.join(name, below))
          .filter((below) => fs.statSync(path.join(root, below)).isFile()),
  )
  return Object.fromEntries(files.map((name) => [name, read(path.join(folder, name))]))
}

/**
 * The blocks that name their file, by path, relative to their folder in the examples; what is beside these folders is
 * here, too. The first block of a path counts.
 */
function filesOf(text: string): Record<string, string> {
  const named = [...text.matchAll(/^```\w+ title="(\S+)"\n(.*?)^```$/gms)]
  return Object.fromEntries(
    named
      .toReversed()
      .map(([, name = '', body = '']) => [
        name.replace(/^examples\/docs\/(?:[\w-]+\/)?/, ''),
        body.replaceAll("from '../", "from './"),
      ]),
  )
}

/** The shell blocks, each with the block of output right after it. */
function blocksOf(text: string): Block[] {
  const found = text.matchAll(/^```sh\n(.*?)^```$(?:\n\n```(text|json|)\n(.*?)^```$)?/gms)
  return [...found].map(([, script = '', language, output = '']) => ({
    commands: commandsOf(script),
    ...(language === undefined ? {} : { shown: { language, text: output } }),
  }))
}

/** The commands of a shell block, each on a line. A block that sets a variable, or loops, is one command. */
function commandsOf(block: string): string[] {
  // the examples of the help are without npx
  const script = block
    .replaceAll(/\\\n\s*/g, '')
    .replaceAll(/^agentserver /gm, 'npx agentserver ')
    .trim()
  return /^(?:export )?\w+=(?:\S+|\$\([^]*\))$|^for /m.test(script)
    ? [script]
    : joinQuoted(script.split('\n'))
}

/** A text in quotes may have several lines. */
function joinQuoted(lines: readonly string[]): string[] {
  const joined: string[] = []
  let open = ''
  for (const line of lines) {
    open = open === '' ? line : `${open}\n${line}`
    if (open.split("'").length % 2 === 0) continue
    if (open !== '' && !open.startsWith('#')) joined.push(open)
    open = ''
  }
  return joined
}
