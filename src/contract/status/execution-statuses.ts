/** The statuses of an execution. The last three are final. Apart from their schema, which the console does without. */
export const EXECUTION_STATUSES = ['running', 'suspended', 'completed', 'error', 'cancelled'] as const
