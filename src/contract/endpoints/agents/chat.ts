import { z } from 'zod'
import { endpoints } from '../../endpoint.ts'
import { AgentParams, chatStream } from '../agent.ts'

const ChatParams = AgentParams.extend({
  chatId: z.string().min(1).max(256).describe('Id of the chat'),
})

/** Any ids: for those that can't exist there is no response either, as for those that don't. */
const AnyChatParams = z.object({
  id: z.string().describe('Agent id'),
  chatId: z.string().describe('Id of the chat'),
})

export const chatEndpoints = endpoints({
  resumeChat: {
    method: 'GET',
    path: '/agents/:id/chat/:chatId/stream',
    group: 'execution',
    action: 'chat',
    tag: 'Agents',
    summary: 'Streams the running response of a resumable chat from its start; 204 when there is none',
    params: AnyChatParams,
    reply: { ...chatStream, optional: true },
    errors: [],
  },
  stopChat: {
    method: 'POST',
    path: '/agents/:id/chat/:chatId/stop',
    group: 'execution',
    action: 'chat',
    tag: 'Agents',
    summary: 'Aborts the running responses of a chat',
    params: ChatParams,
    reply: {
      kind: 'data',
      schema: z.object({ stopped: z.boolean().describe('Whether there was one') }),
    },
    errors: [404],
  },
})
