import { AgentServerProvider, useWorkflow } from 'agentserver/react'

export function App({ token }: { token?: string }) {
  return (
    <AgentServerProvider url="http://localhost:3141" token={token}>
      <Expense />
    </AgentServerProvider>
  )
}

function Expense() {
  const expense = useWorkflow('expense')
  const { status, suspension, failure, result } = expense
  if (status === undefined)
    return <button onClick={() => void expense.start({ employee: 'Ada', amount: 250 })}>Claim</button>
  if (status === 'suspended')
    return (
      <button onClick={() => void expense.resume({ approvedBy: 'Grace' })}>
        Approve {suspension?.stepId}
      </button>
    )
  if (failure) return <p>{failure.message}</p>
  return <p>{status === 'completed' ? JSON.stringify(result) : status}</p>
}
