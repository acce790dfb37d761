import type { CommandEntry } from './command.ts'

/** All commands by name, in the order of the help. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  dev: {
    summary: 'serve the project and reload it when a file changes',
    load: async () => (await import('./commands/dev.ts')).dev,
  },
  start: {
    summary: 'serve the project in production',
    load: async () => (await import('./commands/start.ts')).start,
  },
  init: {
    summary: 'create a project from a template',
    load: async () => (await import('./commands/init.ts')).init,
  },
  'run-workflow': {
    summary: 'run a workflow and print its result',
    load: async () => (await import('./commands/run-workflow.ts')).runWorkflow,
  },
  'stream-workflow': {
    summary: 'run a workflow and print its events as they occur',
    load: async () => (await import('./commands/stream-workflow.ts')).streamWorkflow,
  },
  'resume-workflow': {
    summary: 'resume a suspended execution',
    load: async () => (await import('./commands/resume-workflow.ts')).resumeWorkflow,
  },
  'suspend-workflow': {
    summary: 'suspend a running execution before its next step',
    load: async () => (await import('./commands/suspend-workflow.ts')).suspendWorkflow,
  },
  'cancel-workflow': {
    summary: 'cancel a running or suspended execution',
    load: async () => (await import('./commands/cancel-workflow.ts')).cancelWorkflow,
  },
  'replay-workflow': {
    summary: 'run an execution again from a step, as a new execution',
    load: async () => (await import('./commands/replay-workflow.ts')).replayWorkflow,
  },
  check: {
    summary: 'compare open executions with the code before a deploy',
    load: async () => (await import('./commands/check.ts')).check,
  },
  'send-event': {
    summary: 'send an event to the executions that wait for it',
    load: async () => (await import('./commands/send-event.ts')).sendEventCommand,
  },
  'trigger-schedule': {
    summary: 'run the workflow of a schedule now and print its result',
    load: async () => (await import('./commands/trigger-schedule.ts')).triggerSchedule,
  },
  'run-tool': {
    summary: 'execute a tool and print its result',
    load: async () => (await import('./commands/run-tool.ts')).runTool,
  },
  chat: {
    summary: 'chat with an agent',
    load: async () => (await import('./commands/chat.ts')).chat,
  },
  eval: {
    summary: 'run cases and score their outputs',
    load: async () => (await import('./commands/eval.ts')).evalCommand,
  },
  prove: {
    summary: 'run a workflow with a crash at every step',
    load: async () => (await import('./commands/prove.ts')).proveCommand,
  },
  'keep-case': {
    summary: 'keep an execution or an agent run as a case',
    load: async () => (await import('./commands/keep-case.ts')).keepCase,
  },
  'import-cases': {
    summary: 'write the rows of a CSV or JSON Lines file as cases',
    load: async () => (await import('./commands/import-cases.ts')).importCases,
  },
  list: {
    summary: 'list workflows, agents, tools, schedules or executions',
    load: async () => (await import('./commands/list.ts')).list,
  },
  state: {
    summary: 'show an execution and its steps',
    load: async () => (await import('./commands/state.ts')).state,
  },
  logs: {
    summary: 'show or follow the log',
    load: async () => (await import('./commands/logs.ts')).logs,
  },
  trace: {
    summary: 'show a trace as a waterfall',
    load: async () => (await import('./commands/trace.ts')).trace,
  },
  routes: {
    summary: 'list the HTTP routes and the credentials they require',
    load: async () => (await import('./commands/routes.ts')).routes,
  },
  mcp: {
    summary: 'serve the tools for coding agents over stdio (MCP)',
    load: async () => (await import('./commands/mcp.ts')).mcp,
  },
  'setup-observability': {
    summary: 'save trace-export credentials to .env',
    load: async () => (await import('./commands/setup-observability.ts')).setupObservabilityCommand,
  },
  migrate: {
    summary: 'bring a Postgres database to this release',
    load: async () => (await import('./commands/migrate.ts')).migrateCommand,
  },
  'check-updates': {
    summary: "check the project's packages for updates, and install them",
    load: async () => (await import('./commands/check-updates.ts')).checkUpdates,
  },
  move: {
    summary: 'copy the history of a SQLite database to Postgres',
    load: async () => (await import('./commands/move.ts')).move,
  },
  backup: {
    summary: 'write a consistent copy of the SQLite database to a file',
    load: async () => (await import('./commands/backup.ts')).backup,
  },
  restore: {
    summary: 'replace the SQLite database with a backup',
    load: async () => (await import('./commands/restore.ts')).restore,
  },
  erase: {
    summary: 'delete everything that is stored of a user',
    load: async () => (await import('./commands/erase.ts')).erase,
  },
  doctor: {
    summary: 'check the project for configuration problems',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
}
