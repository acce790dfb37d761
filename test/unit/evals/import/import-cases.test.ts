import fs from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { AppError } from '../../../../src/lib/errors.ts'
import { casesOfRows } from '../../../../src/evals/import/cases-of-rows.ts'
import type { KnownTargets } from '../../../../src/evals/import/cases-of-rows.ts'
import { readDataSet } from '../../../../src/evals/import/read-data-set.ts'
import { writeCases } from '../../../../src/evals/import/write-cases.ts'
import { TempProject } from '../../../support/project/temp-project.ts'

const known: KnownTargets = {
  ids: { workflow: ['order', 'a:b'], agent: ['support'], tool: ['add'] },
  wantsObject: (target) => 'workflow' in target && target.workflow === 'order',
}
const project = new TempProject()
afterEach(() => {
  for (const name of fs.readdirSync(project.root)) project.delete(name)
})

async function imported(file: string, text: string | Buffer, target?: { agent: string }) {
  fs.writeFileSync(project.path(file), text)
  const data = await readDataSet(project.path(file))
  return casesOfRows(data, { file, name: 'data', target, known })
}
const casesIn = async (...args: Parameters<typeof imported>) =>
  (await imported(...args)).map(({ case: one }) => one)

async function refusal(file: string, text: string | Buffer): Promise<string> {
  try {
    await imported(file, text)
  } catch (error) {
    if (error instanceof AppError) return error.message.replace(`${project.root}/`, '')
    throw error
  }
  return 'imported'
}

describe('a CSV file', () => {
  it('gives a case for each row: JSON where it is JSON, else text', async () => {
    const rows = [
      'target,input,expected,note',
      'workflow:order,"{""amount"":5}","{""ok"":true}",Fine',
      '"{""workflow"":""a:b""}",[1],true,',
      'workflow:a:b,plain,,',
      'agent:support,42,007,',
      'agent:support,"[urgent] help","{""blocked"":""rude""}",',
      'agent:support,"[{""role"":""user"",""content"":""hi""}]","""7""",',
      'tool:add,"{""a"":1}",3,',
    ]
    expect(await casesIn('d.csv', rows.join('\n'))).toEqual([
      { target: { workflow: 'order' }, input: { amount: 5 }, expected: { ok: true }, note: 'Fine' },
      { target: { workflow: 'a:b' }, input: [1], expected: true },
      { target: { workflow: 'a:b' }, input: 'plain' },
      { target: { agent: 'support' }, input: '42', expected: '007' },
      { target: { agent: 'support' }, input: '[urgent] help', expected: { blocked: 'rude' } },
      { target: { agent: 'support' }, input: [{ role: 'user', content: 'hi' }], expected: '7' },
      { target: { tool: 'add' }, input: { a: 1 }, expected: 3 },
    ])
  })

  it('may have a byte order mark, CRLF, line breaks in quotes, empty lines, and other separators', async () => {
    const text = '\uFEFFInput, target \r\n"one\r\n""two"", 三",agent:support\r\n\r\nthree,agent:support'
    const two = [
      { target: { agent: 'support' }, input: 'one\r\n"two", 三' },
      { target: { agent: 'support' }, input: 'three' },
    ]
    expect(await casesIn('d.csv', text)).toEqual(two)
    expect(await casesIn('d.csv', 'input;expected\n"a;b,c";x\n', { agent: 'support' })).toEqual([
      { target: { agent: 'support' }, input: 'a;b,c', expected: 'x' },
    ])
    expect(await casesIn('d.csv', 'input\texpected\ra\tx\r', { agent: 'support' })).toHaveLength(1)
  })

  it.each([
    [
      'a quote that is not closed',
      'target,input\nagent:support,"a\nb"\n\nagent:support,"open\n\n',
      'line 5: a quote is not closed',
    ],
    [
      'text after a quote',
      'target,input\r\nagent:support,"a\r\nb"\r\nagent:support,"x"y\r\n',
      'line 4: there is text after a closing quote',
    ],
    [
      'a quote in a value',
      'target,input\nagent:support,x"y\n',
      'line 2: there is a quote in a value without quotes',
    ],
    ['too few values', 'target,input\nagent:support,a\nagent:support\n', 'line 3: 1 of 2 values'],
    ['too many values', 'target,input\nagent:support,a,b\n', 'line 2: 3 of 2 values'],
    ['no column for the input', 'target,inputs\nagent:support,a\n', 'line 1: there is no column "input"'],
    ['two columns of a name', 'input,Input\na,b\n', 'line 1: there are two columns "input"'],
    ['no text', '', 'The file is empty'],
    ['no rows', 'target,input\n', 'there are no rows'],
    ['another encoding', Buffer.from('target,input\nagent:support,é\n', 'latin1'), 'not UTF-8 text'],
    ['no target', 'input\na\n', 'line 2: there is no target'],
    ['a target that is none', 'target,input\norder,{}\n', 'line 2: target: must be workflow:<id>'],
    ['an unknown workflow', 'target,input\n"workflow:ordr",{}\n', 'line 2: there is no workflow "ordr"'],
    ['no input', 'target,input\nagent:support,\n', 'line 2: there is no input'],
    [
      'a text for a workflow that requires an object',
      'target,input\nworkflow:order,hello\n',
      'line 2: input: the workflow "order" requires a JSON object (not JSON: unexpected character h)',
    ],
    [
      'a list for a workflow that requires an object',
      'target,input\nworkflow:order,[1]\n',
      'line 2: input: the workflow "order" requires a JSON object',
    ],
    [
      'the same row twice',
      'target,input\nagent:support,"a\nb"\nagent:support,"a\nb"\n',
      'line 4: the same target and input as on line 2',
    ],
    [
      'an id twice',
      'target,input,id\nagent:support,a,1\nagent:support,b,1\n',
      'line 3: the same id as on line 2',
    ],
    [
      'an id that is no file name',
      'target,input,id\nagent:support,a,../x\n',
      'line 2: id: must have letters',
    ],
  ])('with %s is refused', async (_, text, message) => {
    expect(await refusal('d.csv', text)).toContain(`d.csv: ${message}`)
  })

  it('is refused with the first ten lines that are not valid', async () => {
    const two = 'target,input\nagent:support,a\nagent:x,b\nworkflow:order,c\n'
    expect(await refusal('d.csv', two)).toBe(
      'd.csv: 2 lines are not valid:\n  line 3: there is no agent "x"\n  line 4: input: the workflow "order" requires a JSON object (not JSON: unexpected character c)',
    )
    const many = `target,input\n${'agent:x,b\n'.repeat(50)}`
    const message = await refusal('d.csv', many)
    expect(message.split('\n')).toHaveLength(11)
    expect(message).toContain('10 or more lines')
  })
})

describe('a JSON Lines file', () => {
  it('gives a case for each object', async () => {
    const text = [
      '\uFEFF{"target":{"workflow":"order"},"input":{"amount":1},"expected":null,"tags":["x"]}\r',
      '',
      '{"target":"agent:support","input":"42","note":"n","id":7}',
    ].join('\n')
    expect(await imported('d.jsonl', text)).toEqual([
      {
        file: expect.stringMatching(/^cases\/data\/[0-9a-f]{16}\.json$/),
        case: { target: { workflow: 'order' }, input: { amount: 1 }, expected: null },
      },
      { file: 'cases/data/7.json', case: { target: { agent: 'support' }, input: '42', note: 'n' } },
    ])
    expect((await readDataSet(project.path('d.jsonl'))).others).toEqual(['tags'])
  })

  it.each([
    ['{"input":1}\n{"input"\n', 'line 2: invalid JSON'],
    ['\n[1]\n', 'line 2: not a JSON object'],
    ['{"target":"agent:support","input":42}\n', 'line 1: input: must be a text, or a list of messages'],
    ['{"target":"agent:support","input":"a","note":5}\n', 'line 1: note: '],
    ['{"target":"agent:support","input":"a","__proto__":5}\n', 'line 1: invalid JSON: the key "__proto__"'],
    ['\n \n', 'there are no rows'],
  ])('with %j is refused', async (text, message) => {
    expect(await refusal('d.jsonl', text)).toContain(`d.jsonl: ${message}`)
  })
})

it('import: a row keeps its file when rows are added, and when its expected output changes', async () => {
  const fileOf = async (text: string) =>
    (await imported('d.csv', `target,input,expected\n${text}`)).at(-1)?.file
  const first = await fileOf('agent:support,a,x\n')
  expect(await fileOf('agent:support,new,y\nagent:support,a,z\n')).toBe(first)
  expect(await fileOf('agent:support,b,x\n')).not.toBe(first)
})

it('import: a file of another kind, or that is not there, is refused', async () => {
  project.write({ 'data.txt': 'x', 'orders.csv': 'x' })
  await expect(readDataSet(project.path('data.txt'))).rejects.toThrow('must end in .csv or .jsonl')
  await expect(readDataSet(project.path('order.csv'))).rejects.toMatchObject({
    message: expect.stringContaining("can't be read (ENOENT)"),
    hint: expect.stringContaining('orders.csv'),
  })
})

describe('writing imported cases', () => {
  const cases = ['a', 'b', 'c'].map((id) => ({
    file: `cases/data/${id}.json`,
    case: { target: { agent: 'support' }, input: id },
  }))
  const write = (options: { overwrite?: boolean; signal?: AbortSignal; onProgress?: () => void } = {}) =>
    writeCases(cases, {
      root: project.root,
      name: 'data',
      overwrite: false,
      signal: new AbortController().signal,
      onProgress: () => undefined,
      ...options,
    })
  const written = () => fs.readdirSync(project.path('cases/data')).toSorted()

  it('writes all of them to a new folder, and beside other files', async () => {
    await write()
    expect(written()).toEqual(['a.json', 'b.json', 'c.json'])
    project.delete('cases')
    project.write({ 'cases/data/other.json': '{}' })
    await write()
    expect(written()).toEqual(['a.json', 'b.json', 'c.json', 'other.json'])
    expect(fs.readdirSync(project.path('cases'))).toEqual(['data'])
  })

  it('writes none when one exists, unless they may be overwritten', async () => {
    project.write({ 'cases/data/b.json': 'mine' })
    await expect(write()).rejects.toThrow('1 of 3 files exist, such as cases/data/b.json')
    expect([written(), project.read('cases/data/b.json')]).toEqual([['b.json'], 'mine'])
    await write({ overwrite: true })
    expect(JSON.parse(project.read('cases/data/b.json'))).toMatchObject({ input: 'b' })
  })

  it('writes none when it is interrupted', async () => {
    const abort = new AbortController()
    await expect(write({ signal: abort.signal, onProgress: () => abort.abort() })).rejects.toThrow('aborted')
    expect(fs.readdirSync(project.path('cases'))).toEqual([])
  })

  it('writes nothing through a link out of the project', async () => {
    const outside = new TempProject()
    fs.mkdirSync(project.path('cases'))
    fs.symlinkSync(outside.root, project.path('cases/data'))
    await expect(write()).rejects.toThrow('is a symbolic link out of the project')
    expect(fs.readdirSync(outside.root)).toEqual([])
    outside.remove()
  })
})
