import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { CliProject } from '../support/project/cli-project.ts'

const BIN = path.resolve(fileURLToPath(new URL('../..', import.meta.url)), 'bin/agentserver.js')
const HAS_SCRIPT = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0

const FILES = {
  'agentserver.config.ts': `
    import { createAgent, createTool, createWorkflow, defineConfig, demoModel } from 'agentserver'
    import { z } from 'zod'
    const add = createTool({
      name: 'add', description: 'Adds two numbers',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      execute: ({ a, b }, { userId, context }) => ({ sum: a + b, userId, context }),
    })
    const model = demoModel({ note: 'demo' })
    const clerk = createAgent({ id: 'clerk', name: 'Clerk', instructions: 'x', model, tools: [add] })
    const slow = createAgent({ id: 'slow', name: 'Slow', instructions: 'x', model: demoModel({ delayMs: 100 }) })
    const keyless = createAgent({ id: 'keyless', name: 'Keyless', instructions: 'x', model: 'openai/gpt-x' })
    const inner = createAgent({ id: 'inner', name: 'Inner', instructions: 'x', model })
    const flow = createWorkflow({ id: 'flow', name: 'Flow' }).andAgent({ id: 'ask', agent: inner, prompt: 'Hi' })
    const refund = createTool({
      name: 'refund', description: 'Refunds an amount', needsApproval: true,
      inputSchema: z.object({ amount: z.number() }), execute: ({ amount }) => ({ refunded: amount }),
    })
    const careful = createAgent({ id: 'careful', name: 'Careful', instructions: 'x', model, tools: [refund] })
    const locate = createTool({
      name: 'locate', description: 'Locates a parcel', inputSchema: z.object({ number: z.number() }),
      execute: async (_, { step }) => {
        const resumeSchema = z.object({ place: z.string() })
        return (await step.suspend('place', { data: { question: 'Where is it?' }, resumeSchema })).place
      },
    })
    const curious = createAgent({ id: 'curious', name: 'Curious', instructions: 'x', model, tools: [locate], resumable: true })
    export default defineConfig({ agents: [clerk, slow, keyless, careful, curious], workflows: [flow] })
  `,
  '.env': 'OPENAI_API_KEY=\nOPENAI_BASE_URL=\n',
}

describe.each(['in the same process', 'with a running server'])('chat %s', (where) => {
  let project: CliProject

  beforeAll(async () => {
    project = new CliProject({ ...FILES, 'question.txt': 'What is new?\n' })
    if (where === 'with a running server') await project.serve('dev')
  })
  afterAll(() => project.end())

  /** Chats in a terminal: types the keys of each entry once its text is shown, and takes it off the list. */
  const typeIn = async (args: string, typed: { after: string; keys: string }[]) => {
    const command = `${process.execPath} ${BIN} chat ${args} --no-color`
    const terminal = execa('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
      cwd: project.root,
      reject: false,
    })
    onTestFinished(() => void terminal.kill())
    let screen = ''
    let seen = 0
    terminal.stdout.on('data', (chunk: Buffer) => {
      screen += chunk.toString()
      for (;;) {
        const [next] = typed
        const at = next === undefined ? -1 : screen.indexOf(next.after, seen)
        if (next === undefined || at < 0) return
        seen = at + next.after.length
        typed.shift()
        if (next.keys !== '') terminal.stdin.write(next.keys)
      }
    })
    const { exitCode } = await terminal
    return { exitCode, screen }
  }

  it('sends one message and prints only the text to stdout', async () => {
    const { exitCode, stdout, stderr } = await project.run([
      'chat',
      'clerk',
      '--input',
      'add 2 and 3',
      '--user',
      'ada',
      '--context',
      '{"t":1}',
    ])
    expect(stdout).toMatch(/^add returned {"sum":5,"userId":"ada","context":{"t":1}}\n\n— demo$/)
    expect(stderr).toContain('→ add {"a":2,"b":3}')
    expect(stderr).toContain('← add {"sum":5,')
    expect(stderr).toMatch(/\(demo\/demo, \d+ tokens, /)
    expect(exitCode).toBe(0)
  })

  it('reads the message from a file or stdin, and prints the whole response with --json', async () => {
    const { value } = await project.json(['chat', 'clerk', '--input', '@question.txt'])
    expect(value).toMatchObject({ text: 'You said: What is new?\n\n— demo', model: 'demo/demo' })
    const piped = await project.run(['chat', 'clerk', '--input', '-'], { input: 'From a pipe\n' })
    expect(piped.stdout).toBe('You said: From a pipe\n\n— demo')
  })

  it.each([
    [['clark', '--input', 'x'], 2, 'Did you mean "clerk"?'],
    [['inner', '--input', 'x'], 2, 'add it to "agents"'],
    [['keyless', '--input', 'x'], 1, 'needs OPENAI_API_KEY, which is not set'],
    [['clerk'], 2, 'No input: pass --input'],
    [['clerk', '--input', ' '], 2, '--input is empty'],
    [['clerk', '--input', '@nowhere.txt'], 2, 'nowhere.txt (ENOENT)'],
  ])('with %j exits with %i', async (args, code, message) => {
    const { exitCode, stdout, stderr } = await project.run(['chat', ...args])
    expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: '' })
    expect(stderr).toContain(message)
  })

  it('lists all agents, including those used only by workflows', async () => {
    const { stdout } = await project.run(['list', 'agents'])
    expect(stdout).toMatch(/^AGENT +MODEL +USED BY +TOOLS +DESCRIPTION\nclerk +demo\/demo +API +add +Clerk\n/)
    expect(stdout).toMatch(/\ninner +demo\/demo +steps, agents +Inner/)
  })

  it.runIf(HAS_SCRIPT)(
    'in a terminal is one conversation; Ctrl-C stops a response, Ctrl-D exits',
    async () => {
      const typed = [
        // long enough that it is not over when Ctrl-C arrives, on a busy machine too
        { after: '› ', keys: `First ${'and more '.repeat(100)}\r` },
        { after: 'You said: First', keys: '\u0003' },
        { after: '(stopped)', keys: 'Second one\r' },
        { after: 'tokens, ', keys: '\u0004' },
      ]
      const { exitCode, screen } = await typeIn('slow --conversation typed-1', typed)
      expect(screen).toContain('Conversation typed-1')
      expect(screen).toContain('You said: Second one')
      expect(exitCode).toBe(0)
    },
  )

  it.runIf(HAS_SCRIPT)(
    'in a terminal asks about calls that need approval, and lets their arguments be edited',
    async () => {
      const typed = [
        { after: '› ', keys: 'refund 250\r' },
        { after: 'Approve refund {"amount":250}? (y/n/edit)', keys: 'edit\r' },
        { after: 'Arguments as JSON:', keys: '{"amount":"x"}\r' },
        { after: 'approvals[0].input.amount', keys: '' },
        { after: '(y/n/edit)', keys: 'e\r' },
        { after: 'Arguments as JSON:', keys: '{"amount":20}\r' },
        { after: 'refund returned {"refunded":20}', keys: '' },
        { after: '› ', keys: 'refund 300\r' },
        { after: '(y/n/edit)', keys: 'n\r' },
        { after: 'Reason', keys: 'Not today\r' },
        { after: 'the call was denied Not today', keys: '' },
        { after: '› ', keys: '\u0004' },
      ]
      const { exitCode, screen } = await typeIn('careful', typed)
      expect(exitCode).toBe(0)
      expect({ typed, screen }).toMatchObject({ typed: [] })
    },
  )

  it.runIf(HAS_SCRIPT)('in a terminal asks what a tool asks in its middle', async () => {
    const typed = [
      { after: '› ', keys: 'locate 7\r' },
      { after: 'place: Where is it?', keys: '' },
      { after: '(y/n)', keys: 'y\r' },
      { after: 'place (string)', keys: 'Bonn\r' },
      { after: 'locate returned Bonn', keys: '' },
      { after: '› ', keys: '\u0004' },
    ]
    const { exitCode, screen } = await typeIn('curious', typed)
    expect(exitCode).toBe(0)
    expect({ typed, screen }).toMatchObject({ typed: [] })
  })

  it.runIf(HAS_SCRIPT).each([
    ['Enter', '\r'],
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('in a terminal leaves a call pending on %s, and says how to approve it', async (_, keys) => {
    const typed = [
      { after: '› ', keys: 'refund 250\r' },
      { after: '(y/n/edit)', keys },
      { after: 'refund waits for approval', keys: '' },
      { after: 'POST /agents/careful/runs/', keys: '' },
      ...(keys === '\u0004' ? [] : [{ after: '› ', keys: '\u0004' }]),
    ]
    const { exitCode, screen } = await typeIn('careful', typed)
    expect(exitCode).toBe(0)
    expect({ typed, screen }).toMatchObject({ typed: [] })
    expect(screen).not.toContain('denied')
  })

  it.runIf(HAS_SCRIPT)('in a terminal exits on Ctrl-C twice', async () => {
    const command = `${process.execPath} ${BIN} chat clerk --no-color`
    const terminal = execa('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
      cwd: project.root,
      reject: false,
    })
    const typed = [
      { after: '› ', keys: '\u0003' },
      { after: 'again or Ctrl-D', keys: '\u0003' },
    ]
    let screen = ''
    terminal.stdout.on('data', (chunk: Buffer) => {
      screen += chunk.toString()
      if (screen.includes(typed[0]?.after ?? '\n\n\n\n')) terminal.stdin.write(typed.shift()?.keys)
    })
    expect((await terminal).exitCode).toBe(130)
  })
})
