// An MCP server on standard input and output. It writes its process id to a file, so that tests can count its starts, and exits on request.
import fs from 'node:fs'
import { Server } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'

const text = (value) => ({ content: [{ type: 'text', text: String(value) }] })
const TOOLS = {
  greet: {
    description: 'Greets somebody',
    inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    run: ({ name }) => text(`${process.env.GREETING ?? 'Hello'}, ${name}`),
  },
  'sum.all': {
    title: 'Sum',
    inputSchema: { type: 'object', properties: { numbers: { type: 'array', items: { type: 'number' } } } },
    outputSchema: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
    run: ({ numbers }) => {
      const sum = numbers.reduce((total, number) => total + number, 0)
      return { ...text(sum), structuredContent: { sum } }
    },
  },
  fail: {
    description: 'Fails',
    inputSchema: { type: 'object' },
    run: () => ({ ...text('the disk is full of hunter2'), isError: true }),
  },
  hang: { description: 'Never answers', inputSchema: { type: 'object' }, run: () => new Promise(() => {}) },
  exit: { description: 'Ends the server', inputSchema: { type: 'object' }, run: () => process.exit(1) },
}

const { PID_FILE } = process.env
if (PID_FILE !== undefined) fs.appendFileSync(PID_FILE, `${process.pid}\n`)

const info = { name: 'Greeter', version: '3.2.1' }
const server = new Server(info, { capabilities: { tools: {} }, instructions: 'Says hello' })
server.setRequestHandler('tools/list', () => ({
  tools: Object.entries(TOOLS).map(([name, { run: _, ...tool }]) => ({ name, ...tool })),
}))
server.setRequestHandler('tools/call', ({ params }) => TOOLS[params.name].run(params.arguments ?? {}))
await server.connect(new StdioServerTransport())
