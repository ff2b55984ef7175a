// What clients look at first: the version of this program, and its settings.

import { argocdNamespace } from '#gitops'
import { canLogIn, readAccounts } from './access/accounts.ts'
import { readConfig } from './access/settings.ts'
import type { Context } from './context.ts'

export function metaRoutes({ server, client, version, gitops }: Context): void {
  server.get('/api/version', async () => versions(version, await gitops.toolVersions()))
  const plugins = gitops.plugins.map((name) => ({ name }))
  server.get('/api/v1/settings', async () => {
    const [config, accounts] = await Promise.all([readConfig(client, 'argocd-cm'), readAccounts(client)])
    return {
      url: config['url'] ?? '',
      appLabelKey: 'app.kubernetes.io/instance',
      trackingMethod: 'annotation',
      controllerNamespace: argocdNamespace,
      appsInAnyNamespaceEnabled: true,
      resourceOverrides: {},
      kustomizeVersions: [],
      configManagementPlugins: plugins,
      plugins,
      execEnabled: false,
      statusBadgeEnabled: false,
      hydratorEnabled: false,
      impersonationEnabled: false,
      syncWithReplaceAllowed: true,
      userLoginsDisabled: !accounts.some(canLogIn),
      passwordPattern: config['passwordPattern'] ?? '',
      uiLoginButtonText: '',
      help: {},
    }
  })
  server.get('/api/v1/settings/plugins', async () => ({ plugins }))
}

const versions = (version: string, tools: Awaited<ReturnType<Context['gitops']['toolVersions']>>) => ({
  Version: `v${version}`,
  BuildDate: '',
  GitCommit: '',
  GitTag: '',
  GitTreeState: '',
  GoVersion: '',
  Compiler: `node ${process.version}`,
  Platform: `${process.platform}/${process.arch}`,
  KustomizeVersion: tools?.kustomize ?? '',
  HelmVersion: tools?.helm ?? '',
  KubectlVersion: tools?.kubectl ?? '',
  // The level that our own follows.
  JsonnetVersion: 'v0.21.0',
  ExtraBuildInfo: 'homeostat',
})
