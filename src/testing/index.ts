export { createTestRunner, type RunOptions, type TestExecution, type TestRunner } from './run-workflow.ts'
