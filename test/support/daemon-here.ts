// A daemon in this process, on ports of its own, that renders nothing and keeps nothing.

import { join } from 'node:path'
import { type Daemon, type DaemonOptions, startDaemon } from '#daemon'

/** Its kubeconfig is in `FOLDER/data`. */
export const startDaemonHere = (folder: string, options: Partial<DaemonOptions> = {}): Promise<Daemon> =>
  startDaemon({
    ...{ dataDir: join(folder, 'data'), ephemeral: true, listen: '127.0.0.1', port: 0, apiPort: 0 },
    ...{ nodes: 1, speed: 1, kubelet: 'real', instant: true, intervalSeconds: 120 },
    tools: { directory: '/nonexistent', environment: {}, network: false },
    ...options,
  })
