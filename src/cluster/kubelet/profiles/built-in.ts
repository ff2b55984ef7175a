// What is known of public images, in the words of a WorkloadProfile. The first that says a field counts; what none says is
// read from the container's command (default-workloads.ts). Objects in the cluster come before all of these.

import { knownDatabases } from './known/databases.ts'
import type { BuiltInProfile } from './known/forms.ts'
import { knownServers } from './known/servers.ts'
import { knownTools } from './known/tools.ts'
import { knownUsers } from './known/users.ts'

export const builtInProfiles: readonly BuiltInProfile[] = [
  ...knownTools,
  ...knownDatabases,
  ...knownServers,
  ...knownUsers,
]
