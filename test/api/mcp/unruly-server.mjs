// An MCP server on standard input and output. Each of its tools violates the protocol in another way.
import { createInterface } from 'node:readline'

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const inputSchema = { type: 'object' }
const outputSchema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] }
const text = (value) => ({ content: [{ type: 'text', text: value }] })

let cancelled = 0
const TOOLS = {
  variables: () => text(Object.keys(process.env).join(' ')),
  garbage: () => {
    process.stdout.write('}{ this is no JSON\n{"jsonrpc": 7}\n')
    return text('after garbage')
  },
  flood: () => {
    const chunk = 'x'.repeat(1 << 20)
    const pour = () => {
      while (process.stdout.write(chunk));
      process.stdout.once('drain', pour)
    }
    pour()
  },
  hang: () => console.error('hang was called'),
  cancelled: () => text(String(cancelled)),
  unfit: () => ({ content: [], structuredContent: { n: 'hunter2' } }),
  refuse: () => {
    throw new Error('the password is hunter2')
  },
  image: () => ({ content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }] }),
}

console.error('unruly begins')
process.stdout.write('Listening on stdio!\n')
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === 'notifications/cancelled') cancelled++
  if (method === 'initialize') {
    const serverInfo = { name: 'Unruly', version: '1' }
    send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo } })
  }
  if (method === 'tools/list')
    send({
      id,
      result: {
        tools: Object.keys(TOOLS).map((name) =>
          name === 'unfit' ? { name, inputSchema, outputSchema } : { name, inputSchema },
        ),
      },
    })
  if (method !== 'tools/call') return
  try {
    const result = TOOLS[params.name]()
    if (result) send({ id, result })
  } catch ({ message }) {
    send({ id, error: { code: -32603, message } })
  }
})
