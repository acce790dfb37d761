export { createServer, type AgentServer, type CreateServerOptions } from './create-server.ts'
export { type Listening, type ListenOptions } from './listen.ts'
export { openProject, type OpenedProject, type OpenProjectOptions } from './project/open-project.ts'
