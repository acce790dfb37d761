import { useCallback, useEffect, useState } from 'react'
import { type Conversation, type GuideMessage, listConversations, loadMessages } from './api.ts'
import { Chat } from './chat.tsx'
import { Conversations } from './conversations.tsx'

/** The id of the conversation is in the address, so that it survives a reload. */
const openId = () => location.hash.slice(1) || crypto.randomUUID()

export function App() {
  const [id, setId] = useState(openId)
  const [loaded, setLoaded] = useState<{ readonly id: string; readonly messages: GuideMessage[] }>()
  const [conversations, setConversations] = useState<Conversation[]>([])
  const [error, setError] = useState<string>()

  const refresh = useCallback(() => {
    listConversations().then(setConversations, (reason: unknown) => setError(String(reason)))
  }, [])
  useEffect(refresh, [refresh])

  useEffect(() => {
    location.hash = id
    let isCurrent = true
    loadMessages(id).then(
      (messages) => isCurrent && setLoaded({ id, messages }),
      (reason: unknown) => isCurrent && setError(String(reason)),
    )
    return () => void (isCurrent = false)
  }, [id])

  return (
    <main>
      <Conversations
        conversations={conversations}
        current={id}
        onOpen={setId}
        onNew={() => setId(crypto.randomUUID())}
        onChange={refresh}
      />
      <section>
        <h1>Plan a day out</h1>
        {error !== undefined && <p role="alert">{error}</p>}
        {loaded?.id === id && <Chat key={id} id={id} stored={loaded.messages} onAnswer={refresh} />}
      </section>
    </main>
  )
}
