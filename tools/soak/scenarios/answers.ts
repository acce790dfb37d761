import type { Delivery } from '../../chaos/agents/agent-project.ts'
import { textOf, WORD } from '../../chaos/agents/agent-project.ts'
import { readStream } from '../../chaos/agents/answer-stream.ts'
import type { SoakClient } from '../soak-client.ts'

/** A reader of a chat that leaves and resumes disconnects after this many parts. */
const PARTS_BEFORE_LEAVING = 12

/** Lets an agent answer in the way that the run names, decides what the run waits for, and compares its text. */
export async function answer(client: SoakClient, delivery: Delivery, run: string): Promise<void> {
  if (delivery === 'flow') return throughWorkflow(client, run)
  if (delivery === 'chat') return chat(client, run)
  if (delivery === 'stream') return stream(client, run)
  const { status, data } = await client.post('/agents/kept/text', { input: run })
  if (status !== 200) throw new Error(`${run}: ${status} ${JSON.stringify(data)}`)
  const { text } = delivery === 'text' ? data : await decide(client, run, data)
  if (text !== textOf(run)) throw new Error(`${run}: ${text}`)
}

/** Resumes or approves what an answer waits for. */
async function decide(
  client: SoakClient,
  run: string,
  { id, waits = [], approvals = [] }: any,
): Promise<any> {
  const decisions = approvals.map(({ approvalId }: { approvalId: string }) => ({
    approvalId,
    approved: true,
  }))
  const [route, body] =
    waits.length > 0 ? ['resume', { resumeData: { word: WORD } }] : ['approvals', { approvals: decisions }]
  const { status, data } = await client.post(`/agents/kept/runs/${id}/${route}`, body)
  if (status !== 200) throw new Error(`${run}: ${route} ${status} ${JSON.stringify(data)}`)
  return data
}

async function throughWorkflow(client: SoakClient, run: string): Promise<void> {
  const { status, data } = await client.post('/workflows/flow/execute', { input: { run } })
  if (status !== 200 || data?.status !== 'completed')
    throw new Error(`${run}: ${status} ${JSON.stringify(data)}`)
}

async function stream(client: SoakClient, run: string): Promise<void> {
  const { isFinished, wrong } = await client.stream('/agents/kept/stream', { input: run }, (response) =>
    readStream(run, response),
  )
  if (!isFinished || wrong.length > 0) throw new Error(`${run}: ${wrong[0] ?? 'the stream has no end'}`)
}

/** Leaves in the middle of an answer, which goes on, and reads it again from its start. */
async function chat(client: SoakClient, run: string): Promise<void> {
  const messages = [{ id: 'm', role: 'user', parts: [{ type: 'text', text: run }] }]
  const body = { id: run, messages }
  await client.stream('/agents/kept/chat', body, (response) =>
    readStream(run, response, (parts) => parts >= PARTS_BEFORE_LEAVING),
  )
  const { wrong } = await client.request(`/agents/kept/chat/${run}/stream`, {}, async (response) =>
    // 204: it has ended meanwhile
    response.status === 200 ? readStream(run, response) : { wrong: [] },
  )
  if (wrong[0] !== undefined) throw new Error(wrong[0])
}
