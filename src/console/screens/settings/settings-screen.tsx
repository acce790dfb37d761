import { PageHeader } from '../../ui/layout/page-header.tsx'
import { Tabs } from '../../ui/layout/tabs.tsx'
import { AccessTab } from './access-tab.tsx'
import { EditorTab } from './editor-tab.tsx'
import { KeysTab } from './keys-tab.tsx'
import { ServerTab } from './server-tab.tsx'
import { UpdatesTab } from './updates-tab.tsx'

/** The settings: server, access, keys, updates, and the editor of this browser. */
export function SettingsScreen() {
  return (
    <>
      <PageHeader title="Settings" />
      <Tabs
        label="Settings"
        tabs={[
          { id: 'server', name: 'Server', render: () => <ServerTab /> },
          { id: 'access', name: 'Access', render: () => <AccessTab /> },
          { id: 'keys', name: 'Keys', render: () => <KeysTab /> },
          { id: 'updates', name: 'Updates', render: () => <UpdatesTab /> },
          { id: 'editor', name: 'Editor', render: () => <EditorTab /> },
        ]}
      />
    </>
  )
}
