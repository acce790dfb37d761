import type { Route } from '../router/route.ts'

/** The route table. Each screen is a component with `ScreenProps`, loaded as its own chunk. */
export const ROUTES: readonly Route[] = [
  { path: 'logs', load: () => import('../screens/logs-screen.tsx').then((file) => file.LogsScreen) },
  {
    path: 'traces',
    load: () => import('../screens/trace/traces-screen.tsx').then((file) => file.TracesScreen),
  },
  {
    path: 'traces/:id',
    load: () => import('../screens/trace/trace-screen.tsx').then((file) => file.TraceScreen),
  },
  {
    path: '',
    load: () => import('../screens/home/home-screen.tsx').then((file) => file.HomeScreen),
  },
  {
    path: 'workflows',
    load: () => import('../screens/workflows/workflows-screen.tsx').then((file) => file.WorkflowsScreen),
  },
  {
    path: 'workflows/:id',
    load: () => import('../screens/workflows/workflow-screen.tsx').then((file) => file.WorkflowScreen),
  },
  {
    path: 'executions',
    load: () => import('../screens/execution/executions-screen.tsx').then((file) => file.ExecutionsScreen),
  },
  {
    path: 'executions/:id',
    load: () => import('../screens/execution/execution-screen.tsx').then((file) => file.ExecutionScreen),
  },
  {
    path: 'executions/file/open',
    load: () =>
      import('../screens/execution/execution-file-screen.tsx').then((file) => file.ExecutionFileScreen),
  },
  {
    path: 'search',
    load: () => import('../screens/search-screen.tsx').then((file) => file.SearchScreen),
  },
  {
    path: 'schedules',
    load: () => import('../screens/schedules-screen.tsx').then((file) => file.SchedulesScreen),
  },
  {
    path: 'inbox',
    load: () => import('../screens/inbox/inbox-screen.tsx').then((file) => file.InboxScreen),
  },
  {
    path: 'events',
    load: () => import('../screens/events-screen.tsx').then((file) => file.EventsScreen),
  },
  {
    path: 'agents',
    load: () => import('../screens/agents/agents-screen.tsx').then((file) => file.AgentsScreen),
  },
  {
    path: 'agents/:id',
    load: () => import('../screens/agents/agent-screen.tsx').then((file) => file.AgentScreen),
  },
  {
    path: 'agents/:id/lab',
    load: () => import('../screens/lab/lab-screen.tsx').then((file) => file.LabScreen),
  },
  {
    path: 'tools',
    load: () => import('../screens/tools/tools-screen.tsx').then((file) => file.ToolsScreen),
  },
  {
    path: 'tools/:name',
    load: () => import('../screens/tools/tool-screen.tsx').then((file) => file.ToolScreen),
  },
  { path: 'api', load: () => import('../screens/api/api-screen.tsx').then((file) => file.ApiScreen) },
  { path: 'mcp', load: () => import('../screens/mcp/mcp-screen.tsx').then((file) => file.McpScreen) },
  {
    path: 'mcp/:serverId',
    load: () => import('../screens/mcp/mcp-server-screen.tsx').then((file) => file.McpServerScreen),
  },
  {
    path: 'evals',
    load: () => import('../screens/evals/evals-screen.tsx').then((file) => file.EvalsScreen),
  },
  {
    path: 'evals/:id',
    load: () => import('../screens/evals/eval-screen.tsx').then((file) => file.EvalScreen),
  },
  {
    path: 'evals/runs/:id',
    load: () => import('../screens/evals/eval-run-screen.tsx').then((file) => file.EvalRunScreen),
  },
  {
    path: 'costs',
    load: () => import('../screens/costs-screen.tsx').then((file) => file.CostsScreen),
  },
  {
    path: 'machines',
    load: () => import('../screens/machines-screen.tsx').then((file) => file.MachinesScreen),
  },
  {
    path: 'settings',
    load: () => import('../screens/settings/settings-screen.tsx').then((file) => file.SettingsScreen),
  },
]
