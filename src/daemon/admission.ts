// Which admission plug-ins a server is started with.

import { type AdmissionChoice, admissionPlugins, choiceFault } from '#admission'
import { DaemonUsageError } from './options.ts'

/** Throws DaemonUsageError for names that no plug-in has. */
export function assertAdmission(choice: AdmissionChoice): void {
  const fault = choiceFault(admissionPlugins, choice)
  if (fault !== undefined)
    throw new DaemonUsageError(`--enable-admission-plugins, --disable-admission-plugins: ${fault}`)
}
