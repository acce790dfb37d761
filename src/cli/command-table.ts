import type { CommandEntry } from './command.ts'

/** All commands by name, in the order of the help. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  dev: {
    summary: 'serve the project and reload it when a file changes',
    group: 'Common',
    load: async () => (await import('./commands/dev.ts')).dev,
  },
  start: {
    summary: 'serve the project in production',
    group: 'Common',
    load: async () => (await import('./commands/start.ts')).start,
  },
  init: {
    summary: 'create a project from a template',
    group: 'Common',
    load: async () => (await import('./commands/init.ts')).init,
  },
  'run-workflow': {
    summary: 'run a workflow and print its result',
    alias: 'run',
    group: 'Common',
    load: async () => (await import('./commands/run-workflow.ts')).runWorkflow,
  },
  'resume-workflow': {
    summary: 'resume a suspended execution',
    alias: 'resume',
    group: 'Common',
    load: async () => (await import('./commands/resume-workflow.ts')).resumeWorkflow,
  },
  list: {
    summary: 'list workflows, agents, tools, schedules or executions',
    group: 'Common',
    load: async () => (await import('./commands/list.ts')).list,
  },
  state: {
    summary: 'show an execution and its steps',
    group: 'Common',
    load: async () => (await import('./commands/state.ts')).state,
  },
  chat: {
    summary: 'chat with an agent',
    group: 'Common',
    load: async () => (await import('./commands/chat.ts')).chat,
  },
  'stream-workflow': {
    summary: 'run a workflow and print its events as they occur',
    alias: 'stream',
    group: 'Executions',
    load: async () => (await import('./commands/stream-workflow.ts')).streamWorkflow,
  },
  'suspend-workflow': {
    summary: 'suspend a running execution before its next step',
    group: 'Executions',
    load: async () => (await import('./commands/suspend-workflow.ts')).suspendWorkflow,
  },
  'cancel-workflow': {
    summary: 'cancel a running or suspended execution',
    alias: 'cancel',
    group: 'Executions',
    load: async () => (await import('./commands/cancel-workflow.ts')).cancelWorkflow,
  },
  'replay-workflow': {
    summary: 'run an execution again from a step, as a new execution',
    alias: 'replay',
    group: 'Executions',
    load: async () => (await import('./commands/replay-workflow.ts')).replayWorkflow,
  },
  'send-event': {
    summary: 'send an event to the executions that wait for it',
    group: 'Executions',
    load: async () => (await import('./commands/send-event.ts')).sendEventCommand,
  },
  'trigger-schedule': {
    summary: 'run the workflow of a schedule now and print its result',
    group: 'Executions',
    load: async () => (await import('./commands/trigger-schedule.ts')).triggerSchedule,
  },
  check: {
    summary: 'compare open executions with the code before a deploy',
    group: 'Executions',
    load: async () => (await import('./commands/check.ts')).check,
  },
  failures: {
    summary: 'list failures, grouped by error, step and line of code',
    group: 'Executions',
    load: async () => (await import('./commands/failures.ts')).failures,
  },
  trace: {
    summary: 'show a trace as a waterfall',
    group: 'Executions',
    load: async () => (await import('./commands/trace.ts')).trace,
  },
  logs: {
    summary: 'show or follow the log',
    group: 'Executions',
    load: async () => (await import('./commands/logs.ts')).logs,
  },
  'run-tool': {
    summary: 'execute a tool and print its result',
    group: 'Agents and evals',
    load: async () => (await import('./commands/run-tool.ts')).runTool,
  },
  eval: {
    summary: 'run cases and score their outputs',
    group: 'Agents and evals',
    load: async () => (await import('./commands/eval.ts')).evalCommand,
  },
  prove: {
    summary: 'run a workflow with a crash at every step',
    group: 'Agents and evals',
    load: async () => (await import('./commands/prove.ts')).proveCommand,
  },
  'keep-case': {
    summary: 'keep an execution or an agent run as a case',
    group: 'Agents and evals',
    load: async () => (await import('./commands/keep-case.ts')).keepCase,
  },
  'import-cases': {
    summary: 'write the rows of a CSV or JSON Lines file as cases',
    group: 'Agents and evals',
    load: async () => (await import('./commands/import-cases.ts')).importCases,
  },
  mcp: {
    summary: 'serve the tools for coding agents over stdio (MCP)',
    group: 'Agents and evals',
    load: async () => (await import('./commands/mcp.ts')).mcp,
  },
  routes: {
    summary: 'list the HTTP routes and the credentials they require',
    group: 'Project',
    load: async () => (await import('./commands/routes.ts')).routes,
  },
  doctor: {
    summary: 'check the project for configuration problems',
    group: 'Project',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  'check-updates': {
    summary: "check the project's packages for updates, and install them",
    group: 'Project',
    load: async () => (await import('./commands/check-updates.ts')).checkUpdates,
  },
  'setup-observability': {
    summary: 'save trace-export credentials to .env',
    group: 'Project',
    load: async () => (await import('./commands/setup-observability.ts')).setupObservabilityCommand,
  },
  completion: {
    summary: 'print a script that completes commands in a shell',
    group: 'Project',
    load: async () => (await import('./commands/completion.ts')).completionOf(COMMANDS),
  },
  migrate: {
    summary: 'bring a Postgres database to this release',
    group: 'Data',
    load: async () => (await import('./commands/migrate.ts')).migrateCommand,
  },
  move: {
    summary: 'copy the history of a SQLite database to Postgres',
    group: 'Data',
    load: async () => (await import('./commands/move.ts')).move,
  },
  backup: {
    summary: 'write a consistent copy of the SQLite database to a file',
    group: 'Data',
    load: async () => (await import('./commands/backup.ts')).backup,
  },
  restore: {
    summary: 'replace the SQLite database with a backup',
    group: 'Data',
    load: async () => (await import('./commands/restore.ts')).restore,
  },
  erase: {
    summary: 'delete everything that is stored of a user',
    group: 'Data',
    load: async () => (await import('./commands/erase.ts')).erase,
  },
}
