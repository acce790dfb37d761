import type { Route } from '../router/route.ts'

/** The screens, each a chunk of its own. A screen is a component that takes `ScreenProps`. */
export const ROUTES: readonly Route[] = [
  {
    path: 'workflows/:id',
    load: () => import('../screens/workflows/workflow-screen.tsx').then((file) => file.WorkflowScreen),
  },
  {
    path: 'executions',
    load: () => import('../screens/executions/executions-screen.tsx').then((file) => file.ExecutionsScreen),
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
]
